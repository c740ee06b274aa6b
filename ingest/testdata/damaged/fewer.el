# Nodes: 3 Edges: 3
0 1
1 2

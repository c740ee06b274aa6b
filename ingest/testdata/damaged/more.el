# Nodes: 3 Edges: 1
0 1
1 2

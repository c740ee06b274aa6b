# Nodes: 3 Edges: 2
0 1
1
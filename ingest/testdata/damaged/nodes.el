# Nodes: 2 Edges: 2
0 1
1 2

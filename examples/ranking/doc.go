// Ranking computes PageRank over a list of edges with a container.MultiMap of edges and a container.Map of vertices,
// and prints the vertices with the highest scores.
//
//	go run ./examples/ranking -n 20 web-Google.txt
//
// docs/guide-containers.md walks through it. The application "pebbles pagerank" is faster.
package main

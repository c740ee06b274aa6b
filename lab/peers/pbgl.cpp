// PageRank of the same graph by the Parallel Boost Graph Library: boost::graph::distributed::page_rank over a
// distributed graph in compressed rows, whose scores begin at 1/n and have 1 - 0.85 where nobody gives. Time is of the
// iterations alone.
#include <boost/graph/use_mpi.hpp>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/distributed/compressed_sparse_row_graph.hpp>
#include <boost/graph/distributed/mpi_process_group.hpp>
#include <boost/graph/distributed/page_rank.hpp>
#include <boost/graph/iteration_macros.hpp>
#include <boost/property_map/parallel/distributed_property_map.hpp>

#include <utility>
#include <vector>

#define _Noreturn [[noreturn]]
extern "C" {
#include "graph.h"
#include "pagerank.h"
}

using boost::graph::distributed::mpi_process_group;
using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
	boost::no_property, boost::distributedS<mpi_process_group>>;

// rows makes PBGL's graph from the rows of ours, both ends of an edge having it.
static Graph rows(const struct graph *g) {
	std::vector<std::pair<uint64_t, uint64_t>> arcs;
	for (uint64_t v = 0; v < g->own; v++)
		for (uint64_t i = g->offsets[v]; i < g->offsets[v + 1]; i++)
			arcs.emplace_back(g->first + v, g->heads[i]);
	mpi_process_group group;
	return Graph(boost::edges_are_sorted, arcs.begin(), arcs.end(), g->vertices, group,
		boost::parallel::block(group, g->vertices));
}

// score makes the scores of all vertices, and returns the seconds that PBGL took. What it has of MPI is gone when it
// returns.
static double score(const struct pagerank *p, std::vector<double> &all) {
	struct graph *own = graph_new(&p->generator, p->factor);
	graph_simplify(own);
	Graph g = rows(own);
	std::vector<double> now(num_vertices(g)), next(num_vertices(g));
	auto map = [&](std::vector<double> &scores) {
		return boost::make_iterator_property_map(scores.begin(), get(boost::vertex_index, g));
	};
	const double begin = peer_begin();
	page_rank(g, map(now), boost::graph::n_iterations(p->iterations), DAMPING, p->vertices, map(next));
	const double seconds = peer_seconds(begin);
	all.resize(p->vertices);
	MPI_Allgather(now.data(), (int)own->own, MPI_DOUBLE, all.data(), (int)own->own, MPI_DOUBLE, MPI_COMM_WORLD);
	graph_free(own);
	return seconds;
}

int main(int argc, char **argv) {
	struct pagerank p = pagerank_start(&argc, &argv);
	p.base = 1 - DAMPING;
	std::vector<double> scores;
	const double seconds = score(&p, scores);
	return pagerank_end(&p, "pbgl", seconds, scores.data());
}

// Command papers redraws the figures of five papers, from simulation of the real runtime and from the model: weak
// scaling of the four applications of Active Pebbles (sections 4 and 5, figures 3 and 4); TRAM's all-to-all (section
// V.D, figures 4a to 4c) and its two applications (section VI, figures 6 to 8, and table III); Grappa's figures of
// tasks (sections 4 and 8.1 to 8.3, figures 7 to 13); XLUPC's address caches; and TreadMarks over GM. `make -C lab
// papers` calls it.
//
//	papers                                             # all figures, as tables
//	papers -small                                      # the same with few ranks, in seconds: a test
//	papers -only randomaccess                          # the figures whose names match
//	papers -page results/papers.md -out results/papers.json   # into the page, with pictures
//
// Simulated time is exact: the same program gives the same figures on any machine. Only the time of a switch between
// tasks is measured. Every run verifies its work.
package main

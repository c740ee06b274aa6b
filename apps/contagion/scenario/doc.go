// Package scenario reads what a contagion simulation is told in text: disease models, interventions, and what the
// columns of a population's files are. The files are textproto, Protocol Buffers as text, in the schema of Loimos,
// the open successor of EpiSimdemics (TRAM, section VI B). Mistakes are told in one sentence.
package scenario

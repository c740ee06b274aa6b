// Package model predicts the cost of a job of Active Pebbles on a machine by formula: the LogGP model as the paper uses
// it (Active Pebbles, sections 3.3 to 3.6), and TRAM's analysis of messages, buffers and aggregation (TRAM, sections
// IV.C, V.A and V.B, tables I and II).
//
// A [Link] has the four parameters of LogGP, a [Parameters] those of a whole machine and the costs of its runtime, a
// [File] the same with their origin. A [Job] describes the work. [Parameters.Predict] predicts it: frames, bytes,
// buffers and hops, and the time by part. [Survey] counts the traffic of a topology for pebbles of all ranks to all
// ranks by walking routes: no code depends on the name of a topology, so the model holds for any.
//
// Times are in seconds, sizes in bytes. The model sums times as the paper's formulas do, as if nothing overlapped. It
// serves to compare settings, to find where they cross, and to show the effect of a change of scale. The package is
// pure; the command reads and writes files of parameters.
package model

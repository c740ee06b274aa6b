// Package model predicts what a job of Active Pebbles costs on a machine, by formula: the LogGP model as the paper uses
// it (Active Pebbles, sections 3.3 to 3.6), and TRAM's analysis of messages, buffers and aggregation (TRAM, sections
// IV.C, V.A and V.B, tables I and II).
//
// A [Link] has the four parameters of LogGP, a [Parameters] those of a whole machine and what its runtime costs, a
// [File] the same with where they come from. A [Job] says what is run. [Parameters.Predict] predicts it: frames, bytes,
// buffers and hops, and the time by part. [Survey] counts what a topology does with pebbles of all ranks to all ranks,
// by walking routes: nothing here knows a topology by its name, so that the model holds for any.
//
// Times are in seconds, sizes in bytes. The model adds times up as the paper's formulas do, as if nothing overlapped:
// it is there to compare settings and to find where they cross, and shows the effect of a change of scale. The package
// is pure; the command reads and writes files of parameters.
package model

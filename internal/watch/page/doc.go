// Package page is the HTTP server with which whoever runs a job watches it: one page, the same as JSON, a report on
// demand, and metrics for Prometheus.
//
// It reads what a Source tells and changes nothing. It makes what it serves at most once a second, for all viewers,
// and only while somebody asks: ten viewers cost what one costs, and none cost nothing. The page polls /view.json once
// a second. A stream of events would hold a connection and a goroutine for each viewer, and the page would have to
// find out all the same that a stream has gone quiet; a poll that fails says so at once.
//
// The paths are / (the page), /job.json (state.Job, whole), /view.json (View, bounded), /history.json ([]Point),
// /report and /report.json, /metrics, and /debug/pprof/ where Config.Pprof is set.
//
// Who does not know the token gets status 401 whatever they ask for. A browser is given a cookie in its place, which is
// made of the token but does not tell it. Browsers send cookies of one host to all its ports, so a cookie opens this
// job only.
package page

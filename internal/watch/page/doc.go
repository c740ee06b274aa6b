// Package page is the HTTP server of a job's watchers: a page, its data as JSON, a report, and metrics for Prometheus.
//
// It reads a Source and changes nothing. It renders each answer at most once a second, for all viewers, and only on
// request: ten viewers cost as much as one, and none cost nothing. The page polls /view.json once a second. A stream of
// events would hold a connection and a goroutine for each viewer, and the page would still have to detect a silent
// stream. A failed poll shows that immediately.
//
// The paths are / (the page), /job.json (state.Job, whole), /view.json (View, bounded), /history.json ([]Point),
// /report and /report.json, /metrics, and /debug/pprof/ if Config.Pprof is set.
//
// Any request without the token gets status 401. A browser gets a cookie instead, which is derived from the token but
// does not reveal it. Browsers send cookies of one host to all its ports, so a cookie opens this job only.
package page

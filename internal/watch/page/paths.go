package page

import (
	"bytes"
	"embed"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/pprof"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

//go:embed assets
var embedded embed.FS

// ChartLibrary is the JavaScript that draws the charts of the page, and of the report of a record.
//
//go:embed assets/uplot/uPlot.iife.min.js
var ChartLibrary string

// ChartStyle is the style sheet of ChartLibrary.
//
//go:embed assets/uplot/uPlot.min.css
var ChartStyle string

// paths are the answers of the server, each rendered once for all viewers.
type paths struct {
	job     *shared[*state.Job]
	whole   *shared[[]byte] // JSON of the job; nil before the first state
	view    *shared[[]byte]
	metrics *shared[[]byte]
	report  *shared[*state.Report]
	history history
}

// newPaths returns the handler of all paths, behind the guard.
func newPaths(c Config) http.Handler {
	p := &paths{job: each(c.Source.Job), report: each(c.Source.Report)}
	p.whole = each(func() []byte { return p.ofJob(func(j *state.Job) []byte { return encode(j) }) })
	p.view = each(func() []byte { return p.ofJob(p.see) })
	p.metrics = each(func() []byte { return p.ofJob(metrics) })

	const asJSON, asText = "application/json", "text/plain; charset=utf-8"
	mux := http.NewServeMux()
	mux.HandleFunc("/job.json", answer(asJSON, p.whole.get))
	mux.HandleFunc("/view.json", answer(asJSON, p.view.get))
	mux.HandleFunc("/history.json", answer(asJSON, func() []byte { return encode(p.history.all()) }))
	mux.HandleFunc("/metrics", answer("text/plain; version=0.0.4; charset=utf-8", p.metrics.get))
	mux.HandleFunc("/report", answer(asText, func() []byte { return p.ofReport(text) }))
	mux.HandleFunc("/report.json", answer(asJSON, func() []byte {
		return p.ofReport(func(r *state.Report) []byte { return encode(r) })
	}))
	assets(mux)
	if c.Pprof {
		profiles(mux)
	}
	return mux
}

// assets serves the files of the page.
func assets(mux *http.ServeMux) {
	files, err := fs.Sub(embedded, "assets")
	if err != nil {
		panic(err) // the name is wrong
	}
	mux.Handle("/assets/", http.StripPrefix("/assets", onlyFiles(http.FileServerFS(files))))
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, files, "page.html")
	})
}

// onlyFiles hides lists of folders.
func onlyFiles(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path := r.URL.Path; path == "" || path[len(path)-1] == '/' {
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// profiles serves the profiles of net/http/pprof except the command line, which may contain a token.
func profiles(mux *http.ServeMux) {
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
}

// ofJob renders the job, or returns nil before the first state.
func (p *paths) ofJob(make func(*state.Job) []byte) []byte {
	if j := p.job.get(); j != nil {
		return make(j)
	}
	return nil
}

func (p *paths) ofReport(make func(*state.Report) []byte) []byte {
	if r := p.report.get(); r != nil {
		return make(r)
	}
	return nil
}

// see returns the view of a job as JSON, and records its point.
func (p *paths) see(j *state.Job) []byte {
	v := ViewOf(j)
	p.history.add(v.Now)
	return encode(v)
}

// encode returns JSON with escaped HTML. Its argument must be encodable.
func encode(of any) []byte {
	b, err := json.Marshal(of)
	if err != nil {
		panic(err) // a number is not finite
	}
	return b
}

// answer serves the rendered answer, or an error if none exists.
func answer(kind string, make func() []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		b := make()
		if b == nil {
			http.Error(w, "there is nothing to tell of the job: ask again in a moment", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", kind)
		w.Write(b) //nolint:errcheck // the viewer has gone
	}
}

// text returns a report as text.
func text(r *state.Report) []byte {
	var b bytes.Buffer
	_ = r.Write(&b) // memory accepts all writes
	return b.Bytes()
}

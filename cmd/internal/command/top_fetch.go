package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/internal/watch/jobs"
	"github.com/activepebbles/pebbles/internal/watch/page"
	"github.com/activepebbles/pebbles/internal/watch/state"
)

const (
	answerMost = 8 << 20 // bytes
	answerWait = 5 * time.Second
	wholeMost  = 64 // ranks of jobs that are fetched whole; larger ones by their view
)

// reader reads the page of one job.
type reader struct {
	at     *url.URL // without the token
	token  string
	client http.Client
}

// newReader returns a reader for an address that a job has printed. Its errors do not quote the address with its token.
func newReader(address string) (*reader, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("not the address of a job's page: give the address that the job has printed, such as " +
			"http://127.0.0.1:8080/ with its token")
	}
	return &reader{
		at:    &url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path},
		token: u.Query().Get("token"),
		client: http.Client{
			Timeout:       answerWait,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			// A proxy would see the token.
			Transport: &http.Transport{MaxResponseHeaderBytes: 64 << 10, TLSClientConfig: page.TLSOf(u)},
		},
	}, nil
}

func (r *reader) close() { r.client.CloseIdleConnections() }

// refusal is an answer that will not change: the address has no page of this job.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

var errNothingYet = errors.New("the job has published nothing yet")

// final reports whether another request is useless.
func final(err error) bool {
	var r *refusal
	return errors.As(err, &r) || errors.Is(err, syscall.ECONNREFUSED)
}

// see returns the current state of the job.
func (r *reader) see(ctx context.Context) (*sighting, error) {
	var v page.View
	if err := r.decode(ctx, "view.json", &v); err != nil {
		return nil, err
	}
	if v.Ranks <= 0 {
		return nil, &refusal{"the address serves no job's page"}
	}
	if v.Ranks > wholeMost {
		return ofView(&v), nil
	}
	var j state.Job
	if err := r.decode(ctx, "job.json", &j); err != nil {
		return nil, err
	}
	return ofJob(&v, &j), nil
}

// whole returns the job in JSON, on one line.
func (r *reader) whole(ctx context.Context) ([]byte, error) {
	var j state.Job
	text, err := r.get(ctx, "job.json")
	if err == nil {
		err = understand(text, &j)
	}
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Compact(&b, text)
	return append(escapedJSON(b.Bytes()), '\n'), err
}

func (r *reader) decode(ctx context.Context, name string, into any) error {
	text, err := r.get(ctx, name)
	if err != nil {
		return err
	}
	return understand(text, into)
}

func understand(text []byte, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		return &refusal{"the address serves no job's page, or that of another version: " + escaped(err.Error())}
	}
	return nil
}

// get makes one request.
func (r *reader) get(ctx context.Context, name string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.at.JoinPath(name).String(), nil)
	if err != nil {
		return nil, err
	}
	if r.token != "" {
		request.Header.Set("Authorization", "Bearer "+r.token)
	}
	answer, err := r.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if err := r.status(answer.StatusCode); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, answerMost+1))
	if err == nil && len(text) > answerMost {
		err = &refusal{fmt.Sprintf("the answer is longer than %s", BytesText(answerMost))}
	}
	return text, err
}

// status returns the error for a status code. It shows no words of the server, which may be any server.
func (r *reader) status(code int) error {
	switch {
	case code == http.StatusOK:
		return nil
	case code == http.StatusServiceUnavailable:
		return errNothingYet
	case code == http.StatusUnauthorized:
		return &refusal{"the token is missing or wrong: give the whole address that the job has printed"}
	case code >= 300 && code < 400:
		return &refusal{fmt.Sprintf("status %d: the address points to another one, which is not followed", code)}
	}
	return &refusal{fmt.Sprintf("status %d: the address serves no job's page", code)}
}

// find returns the address of the page of a job, given its id, its pid or its address, or of the only job.
func find(name string) (address string, err error) {
	if strings.Contains(name, "://") {
		return name, nil
	}
	all, wrong := jobs.List()
	var named, paged []jobs.Entry
	for _, e := range all {
		if name != "" && name != e.Job && name != strconv.Itoa(e.PID) {
			continue
		}
		named = append(named, e)
		if e.URL != "" {
			paged = append(paged, e)
		}
	}
	switch {
	case len(paged) == 1:
		return paged[0].URL, nil
	case len(paged) > 1:
		return "", fmt.Errorf("%d jobs have a page: name one of them by its pid%s", len(paged), told(paged))
	case len(named) > 0:
		return "", fmt.Errorf("no page of a job to look at: start it with --http%s", told(named))
	case name != "":
		err = fmt.Errorf("you run no job %q on this host: pebbles ps lists them; name one elsewhere by the address of "+
			"its page", name)
	default:
		err = errors.New("you run no job on this host: start one with --http, or name one elsewhere by the address of " +
			"its page")
	}
	return "", errors.Join(err, wrong)
}

// told lists jobs, one per line.
func told(all []jobs.Entry) string {
	var b strings.Builder
	for _, e := range all {
		fmt.Fprintf(&b, "\n  pid %d: %s", e.PID, escaped(e.Program))
		if e.Job != "" {
			fmt.Fprintf(&b, ", job %s", escaped(e.Job))
		}
		fmt.Fprintf(&b, ", %s, for %s", Plural(e.Ranks, "rank", "ranks"), spanText(time.Since(e.Started).Seconds()))
	}
	return b.String()
}

// nameOf returns the argument that names a job.
func nameOf(e jobs.Entry) string { return cmp.Or(e.Job, strconv.Itoa(e.PID)) }

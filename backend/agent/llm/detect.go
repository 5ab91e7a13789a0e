package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"sextant/shared/wire"
)

const (
	detectTimeout = 300 * time.Millisecond
	listTimeout   = 3 * time.Second
	listKept      = time.Minute
	failureKept   = 10 * time.Second
	maxListBody   = 1 << 20
	maxListed     = 200
	stateReady    = "ready"
	stateDown     = "not_running"
	stateNoKey    = "no_key"
)

// remoteList is what the configured service said last, kept for a while: List is asked
// with every snapshot and must not wait for the network each time.
type remoteList struct {
	until  time.Time
	models []wire.Model
}

// List gives every model that can be chosen, the pilot first and always ready. A provider
// that does not answer has one entry that says why. It takes at most three seconds.
func (r *Registry) List(ctx context.Context) []wire.Model {
	order := append(remotes(), locals()...)
	found := make([][]wire.Model, len(order))
	var wait sync.WaitGroup
	for i, provider := range order {
		wait.Go(func() {
			if slices.Contains(locals(), provider) {
				found[i] = r.listLocal(ctx, provider)
				return
			}
			found[i] = r.listConfigured(ctx, provider)
		})
	}
	wait.Wait()
	models := []wire.Model{{
		Name: PilotName, Provider: PilotName, Label: "Command pilot", State: stateReady,
		Detail: "built in, understands plain commands, needs no network",
	}}
	return append(models, slices.Concat(found...)...)
}

func (r *Registry) listConfigured(ctx context.Context, provider string) []wire.Model {
	r.mu.Lock()
	from := r.services[provider]
	kept := from.listed
	r.mu.Unlock()
	if time.Now().Before(kept.until) {
		return slices.Clone(kept.models)
	}
	at, err := r.configured(provider)
	if err != nil {
		state, hint := stateDown, ""
		var e *Error
		if errors.As(err, &e) {
			hint = e.Suggestion
			if e.Kind == Unauthorised {
				state = stateNoKey
			}
		}
		return []wire.Model{{Name: provider + "/", Provider: provider, Label: listLabel(provider), State: state, Detail: hint}}
	}
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	ids, err := fetchIDs(ctx, at.way.client, at.base+"/models", at)
	fresh := remoteList{until: time.Now().Add(listKept), models: named(at, ids)}
	if err != nil {
		r.log.Info("models not listed", "provider", at.provider, "error", err)
		fresh.until = time.Now().Add(failureKept)
		fresh.models = []wire.Model{failedList(at, err)}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() == nil || err == nil {
		from.listed = fresh
	}
	return slices.Clone(fresh.models)
}

// listLabel names a service of which no model is known.
func listLabel(provider string) string {
	if provider == providerOpenAI {
		return "OpenAI-compatible"
	}
	return labelOf(provider)
}

func failedList(at endpoint, err error) wire.Model {
	m := wire.Model{Name: at.provider + "/", Provider: at.provider, Label: listLabel(at.provider), State: stateDown, Detail: "cannot be reached at " + at.base}
	var s statusError
	if errors.As(err, &s) {
		m.Detail = fmt.Sprintf("%s answered %d to the list of models", at.base, int(s))
		if s == http.StatusUnauthorized || s == http.StatusForbidden {
			m.State, m.Detail = stateNoKey, "the key was refused at "+at.base
		}
	}
	return m
}

func (r *Registry) listLocal(ctx context.Context, provider string) []wire.Model {
	at, err := r.endpoint(provider)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, detectTimeout)
	defer cancel()
	var ids []string
	if provider == providerOllama {
		ids, err = fetchIDs(ctx, r.local.client, strings.TrimSuffix(at.base, "/v1")+"/api/tags", at)
	}
	if provider != providerOllama || err != nil {
		ids, err = fetchIDs(ctx, r.local.client, at.base+"/models", at)
	}
	down := wire.Model{Name: provider + "/", Provider: provider, Label: at.label, State: stateDown}
	switch {
	case err != nil:
		down.Detail = fmt.Sprintf("not running on port %d", r.ports[provider])
		return []wire.Model{down}
	case len(ids) == 0:
		down.Detail = "running, but it has no model"
		return []wire.Model{down}
	}
	return named(at, ids)
}

// named makes the entries of ids. Embedding models cannot answer and are left out.
func named(at endpoint, ids []string) []wire.Model {
	models := []wire.Model{}
	for _, id := range ids {
		id = strings.TrimPrefix(id, "models/") // Gemini's names of names
		if strings.Contains(strings.ToLower(id), "embed") || len(models) == maxListed {
			continue
		}
		models = append(models, wire.Model{Name: at.provider + "/" + id, Provider: at.provider, Label: id, State: stateReady})
	}
	return models
}

// statusError is an HTTP status that is not a success.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("status %d", int(s)) }

// fetchIDs reads a list of models in either of the two usual forms.
func fetchIDs(ctx context.Context, c *http.Client, address string, at endpoint) ([]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("asking for models: %w", err)
	}
	at.format.authorise(req, at.key)
	res, err := c.Do(req)
	if err != nil {
		return nil, fmt.Errorf("asking for models: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("asking for models: %w", statusError(res.StatusCode))
	}
	var form struct {
		Data *[]struct {
			ID string `json:"id"`
		} `json:"data"`
		Models *[]struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxListBody)).Decode(&form); err != nil {
		return nil, fmt.Errorf("reading models: %w", err)
	}
	var ids []string
	switch {
	case form.Data != nil:
		for _, m := range *form.Data {
			ids = append(ids, m.ID)
		}
	case form.Models != nil:
		for _, m := range *form.Models {
			ids = append(ids, m.Name)
		}
	default:
		return nil, errors.New("reading models: not a list of models")
	}
	return slices.DeleteFunc(ids, func(id string) bool { return id == "" || len(id) > 200 }), nil
}

package providers

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/modelapi"
	"sextant/shared/wire"
)

const (
	detectTimeout = 300 * time.Millisecond
	listTimeout   = 3 * time.Second
	listTTL       = time.Minute
	failureTTL    = 10 * time.Second
	tryTimeout    = 10 * time.Second
	maxListed     = 2000
	stateReady    = "ready"
	stateDown     = "not_running"
	stateNoKey    = "no_key"
	stateMore     = "more" // an entry for the models that are not listed
)

const (
	seesYes = "yes"
	seesNo  = "no"
)

// sees returns whether a model accepts pictures, as it showed before or as its name says.
func (r *Registry) sees(m *wire.Model) string {
	if at, _, err := r.endpoint(m.Provider); err == nil {
		if _, refused := r.noImages.Load(at.BaseURL + " " + m.Label); refused {
			return seesNo
		}
	}
	name := strings.ToLower(m.Label)
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(name, part) })
	}
	switch {
	case has("gpt-3.5", "codellama", "deepseek-r1", "deepseek-chat", "deepseek-coder", "embed", "whisper", "tts"):
		return seesNo
	case has("claude-3", "claude-opus", "claude-sonnet", "claude-haiku", "gemini", "gpt-4o", "gpt-4.1", "gpt-5",
		"llava", "vision", "-vl", "pixtral", "gemma3", "gemma-3"):
		return seesYes
	}
	return ""
}

// remoteList caches the list of a service, because List should rarely wait for the network.
type remoteList struct {
	until  time.Time
	models []wire.Model
}

// List returns the models that can be chosen, the pilot first. For a provider that does not answer, one entry says why;
// a disabled one is left out. It takes at most three seconds.
func (r *Registry) List(ctx context.Context) []wire.Model {
	order := append(llm.RemoteProviders(), llm.LocalProviders()...)
	found := make([][]wire.Model, len(order))
	var wait sync.WaitGroup
	for i, provider := range order {
		wait.Go(func() {
			if slices.Contains(llm.LocalProviders(), provider) {
				found[i] = r.listLocal(ctx, provider)
				return
			}
			found[i] = r.listConfigured(ctx, provider)
		})
	}
	wait.Wait()
	models := []wire.Model{{
		Name: llm.PilotName, Provider: llm.PilotName, Label: "Command pilot", State: stateReady,
		Detail: "built in, understands plain commands, needs no network", Sees: seesNo,
	}}
	models = append(models, slices.Concat(found...)...)
	for i := range models {
		if m := &models[i]; m.State == stateReady && m.Sees == "" {
			m.Sees = r.sees(m)
		}
	}
	return models
}

func (r *Registry) listConfigured(ctx context.Context, provider string) []wire.Model {
	r.mu.Lock()
	from := r.services[provider]
	cached := from.listed
	r.mu.Unlock()
	if time.Now().Before(cached.until) {
		return slices.Clone(cached.models)
	}
	at, over, err := r.configured(provider)
	if err != nil {
		state, hint := stateDown, ""
		var e *llm.Error
		if errors.As(err, &e) {
			hint = e.Suggestion
			if e.Kind == llm.KindUnauthorized {
				state = stateNoKey
			}
		}
		return []wire.Model{{
			Name: provider + "/", Provider: provider, Label: llm.GenericProviderLabel(provider), State: state,
			Detail: hint,
		}}
	}
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	ids, err := at.ModelIDs(ctx, over, at.BaseURL+"/models")
	fresh := remoteList{until: time.Now().Add(listTTL), models: entries(at, ids)}
	if err != nil {
		r.log.Info("models not listed", "provider", at.Provider, "err", err)
		fresh.until = time.Now().Add(failureTTL)
		fresh.models = []wire.Model{unavailable(at, err)}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() == nil || err == nil {
		from.listed = fresh
	}
	return slices.Clone(fresh.models)
}

// Try lists the models of a provider's service as it would be configured, without changing the configuration. A blank
// key means the configured one. It takes at most ten seconds. Errors are for the person.
func (r *Registry) Try(ctx context.Context, provider string, as Service) ([]wire.Model, error) {
	r.mu.Lock()
	current, ok := r.services[provider]
	if !ok {
		r.mu.Unlock()
		return nil, fmt.Errorf("there is no service %q", provider)
	}
	as.Key, as.Format = cmp.Or(as.Key, current.Key), current.Format
	trial := &service{Service: as, client: r.clientFor(provider, as.BaseURL)}
	r.mu.Unlock()
	defer trial.client.close()
	at, over, err := trial.endpoint(provider)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	ids, err := at.ModelIDs(ctx, over, at.BaseURL+"/models")
	if err != nil {
		_, problem := listProblem(at, err)
		return nil, errors.New(problem)
	}
	return entries(at, ids), nil
}

func unavailable(at modelapi.Endpoint, err error) wire.Model {
	m := wire.Model{Name: at.Provider + "/", Provider: at.Provider, Label: llm.GenericProviderLabel(at.Provider)}
	m.State, m.Detail = listProblem(at, err)
	return m
}

// listProblem returns the state of a service whose models could not be listed, and what went wrong.
func listProblem(at modelapi.Endpoint, err error) (state, problem string) {
	var status modelapi.StatusError
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	state = stateDown
	switch {
	case errors.As(err, &status) && (status == http.StatusUnauthorized || status == http.StatusForbidden):
		state, problem = stateNoKey, "the key was refused at "+at.BaseURL
	case errors.As(err, &status):
		problem = fmt.Sprintf("%s answered %d to the list of models", at.BaseURL, int(status))
	case errors.As(err, &name):
		problem = name.Name + " was not found"
	case errors.Is(err, syscall.ECONNREFUSED):
		problem = "nothing listens at " + at.BaseURL
	case errors.As(err, &certificate):
		problem = "the certificate of " + at.BaseURL + " is not trusted"
	case errors.Is(err, context.DeadlineExceeded):
		problem = at.BaseURL + " did not answer in time"
	case errors.Is(err, modelapi.ErrNoList):
		problem = at.BaseURL + " answered, but not with a list of models; check the path of the address"
	default:
		problem = "cannot be reached at " + at.BaseURL
	}
	return state, problem
}

func (r *Registry) listLocal(ctx context.Context, provider string) []wire.Model {
	at, over, err := r.endpoint(provider)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, detectTimeout)
	defer cancel()
	var ids []string
	if provider == llm.ProviderOllama {
		ids, err = at.ModelIDs(ctx, over, strings.TrimSuffix(at.BaseURL, "/v1")+"/api/tags")
	}
	if provider != llm.ProviderOllama || err != nil {
		ids, err = at.ModelIDs(ctx, over, at.BaseURL+"/models")
	}
	down := wire.Model{Name: provider + "/", Provider: provider, Label: at.Label, State: stateDown}
	switch {
	case err != nil:
		down.Detail = fmt.Sprintf("not running on port %d", r.ports[provider])
		return []wire.Model{down}
	case len(ids) == 0:
		down.Detail = "running, but it has no models"
		return []wire.Model{down}
	}
	return entries(at, ids)
}

// entries returns the list entries of ids, without embedding models, which cannot answer.
func entries(at modelapi.Endpoint, ids []string) []wire.Model {
	models, more := []wire.Model{}, 0
	for _, id := range ids {
		id = strings.TrimPrefix(id, "models/") // Gemini's prefix
		switch {
		case strings.Contains(strings.ToLower(id), "embed"):
		case len(models) == maxListed:
			more++
		default:
			models = append(models,
				wire.Model{Name: at.Provider + "/" + id, Provider: at.Provider, Label: id, State: stateReady})
		}
	}
	if more > 0 {
		models = append(models, wire.Model{
			Name: at.Provider + "/", Provider: at.Provider, Label: at.Label, State: stateMore,
			Detail: fmt.Sprintf("%d more models are not listed; to use one, set model to its name", more),
		})
	}
	return models
}

package modelapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
)

const maxListBody = 4 << 20

// ErrNoList is returned for an answer that is not a list of models.
var ErrNoList = errors.New("not a list of models")

// StatusError is an HTTP status other than 200.
type StatusError int

// Error implements error.
func (s StatusError) Error() string { return fmt.Sprintf("status %d", int(s)) }

// ModelIDs fetches the list of models at address: {"data": [{"id": …}]} or {"models": [{"name": …}]}. It drops ids
// that are empty or longer than 200 bytes. The error wraps a StatusError if the status is not 200.
func (e Endpoint) ModelIDs(ctx context.Context, c *http.Client, address string) ([]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("asking for models: %w", err)
	}
	e.Format.authorize(req, e.Key)
	res, err := c.Do(req)
	if err != nil {
		return nil, fmt.Errorf("asking for models: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("asking for models: %w", StatusError(res.StatusCode))
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
		return nil, fmt.Errorf("reading models: %w: %w", ErrNoList, err)
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
		return nil, fmt.Errorf("reading models: %w", ErrNoList)
	}
	return slices.DeleteFunc(ids, func(id string) bool { return id == "" || len(id) > 200 }), nil
}

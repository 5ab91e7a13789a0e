package providers

import (
	"context"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/modelapi"
	"sextant/shared/chat"
)

type requestLog []llm.SentRequest

func (l *requestLog) send(
	ctx context.Context,
	m *modelapi.Client,
	name string,
	req llm.Request,
	onDelta func(llm.Delta),
) (llm.Response, error) {
	start := time.Now()
	res, err := m.Stream(ctx, req, onDelta)
	n := len(res.Text) + len(res.Reasoning)
	for _, c := range res.Calls {
		n += len(c.Name) + len(c.Args)
	}
	first := time.Duration(0)
	if !res.FirstPieceAt.IsZero() {
		first = max(res.FirstPieceAt.Sub(start), 1)
	}
	*l = append(*l, llm.SentRequest{
		Model: name, Local: m.Endpoint.Local, Usage: res.Usage, Cost: res.Cost, Bytes: n, FirstPieceAfter: first,
		Duration: time.Since(start),
		Failed:   err != nil && ctx.Err() == nil, Complete: err == nil, Retry: len(*l) > 0,
	})
	return res, err
}

func (l requestLog) usage() chat.Usage {
	var sum chat.Usage
	for _, m := range l {
		sum = sum.Plus(m.Usage)
	}
	return sum
}

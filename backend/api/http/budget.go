package httpapi

import (
	"context"

	"sextant/backend/agent/loop/budget"
	"sextant/backend/agent/pricing"
	"sextant/backend/api/route"
	"sextant/shared/wire"
)

type budgetBody struct {
	Tokens int    `json:"tokens,omitempty" doc:"Tokens read and written; 0 means no limit." minimum:"0"`
	Cost   string `json:"cost,omitempty" doc:"Money, e.g. 0.50 or 2 EUR." maxLength:"40"`
}

func (b budgetBody) read() (budget.Limit, error) {
	cost, err := pricing.ParseMoney(b.Cost)
	return budget.Limit{Tokens: b.Tokens, Cost: cost}, err
}

func (s *Server) conversationBill(ctx context.Context, in *route.ByID) (*route.Body[wire.Spending], error) {
	if _, err := s.conversation(ctx, in.ID); err != nil {
		return nil, err
	}
	bill, err := s.services.Loop.Spending(ctx, in.ID)
	if err != nil {
		return nil, route.InternalError("What the conversation cost could not be read.", err)
	}
	return route.Answer(bill), nil
}

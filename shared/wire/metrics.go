package wire

import (
	"time"

	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// MetricsRange is the period that the metrics cover. MetricsDay is 24 hours including the current one. MetricsWeek and
// MetricsMonth are 7 and 30 days including today. MetricsAll begins with the bucket of the first stored call or turn.
type MetricsRange string

// The periods of metrics.
const (
	MetricsDay   MetricsRange = "day"
	MetricsWeek  MetricsRange = "week"
	MetricsMonth MetricsRange = "month"
	MetricsAll   MetricsRange = "all"
)

// MetricsStep is the length of a bucket.
type MetricsStep string

// The lengths of buckets.
const (
	StepHour     MetricsStep = "hour"
	StepSixHours MetricsStep = "six_hours"
	StepDay      MetricsStep = "day"
	StepWeek     MetricsStep = "week"
	StepMonth    MetricsStep = "month"
)

// MetricsSpan is a period of time that is divided into buckets. Zone is the time zone of the hours and dates.
type MetricsSpan struct {
	Range MetricsRange `json:"range"`
	Zone  string       `json:"zone"`
	From  time.Time    `json:"from"`
	To    time.Time    `json:"to"`
	Step  MetricsStep  `json:"step"`
}

// Metrics is the response of GET /api/metrics: figures about the calls and turns that began in a range. Calls that are
// still running are not counted.
type Metrics struct {
	MetricsSpan
	// Buckets cover the range without gaps, in order. Tools contains the 300 tools with the most calls.
	Buckets   []MetricsBucket `json:"buckets"`
	Tools     []ToolMetrics   `json:"tools"`
	Questions QuestionMetrics `json:"questions"`
	// Turns contains the number of turns for each number of rounds.
	Turns  []RoundsMetrics `json:"turns"`
	Models []ModelMetrics  `json:"models"`
	// WithCalls and WithoutCalls are totals of the models' turns with and without tool calls.
	WithCalls    TurnTokens `json:"with_calls"`
	WithoutCalls TurnTokens `json:"without_calls"`
	// Estimated is the number of tokens that were estimated from text lengths.
	Estimated int64 `json:"estimated"`
}

// MetricsBucket is one step of the range. Messages, Definitions (of tools) and Results (of tools) are the tokens of
// prompts, divided in proportion to the lengths of the texts.
type MetricsBucket struct {
	Start       time.Time `json:"start"`
	Calls       int       `json:"calls"`
	Failed      int       `json:"failed"`
	Asked       int       `json:"asked"`
	Messages    int64     `json:"talk"`
	Definitions int64     `json:"definitions"`
	Results     int64     `json:"results"`
	Output      int64     `json:"output"`
}

// ToolMetrics contains the figures of one tool. Tool and Origin are "" for calls of tools that do not exist.
type ToolMetrics struct {
	Tool   string          `json:"tool"`
	Origin toolspec.Origin `json:"origin"`
	Calls  int             `json:"calls"`
	// Failed, Refused (by the policy), Declined (by a person) and Stopped (also by the end of Sextant) are parts of
	// Calls. The other calls succeeded.
	Failed   int `json:"failed"`
	Refused  int `json:"refused"`
	Declined int `json:"declined"`
	Stopped  int `json:"stopped"`
	// Asked is the number of calls about which a person was asked.
	Asked int `json:"asked"`
	// Completed is the number of calls that were neither prevented nor stopped. P50MS and P95MS are percentiles of
	// their durations in milliseconds, by nearest rank.
	Completed int   `json:"ran"`
	P50MS     int64 `json:"p50_ms"`
	P95MS     int64 `json:"p95_ms"`
	// Tokens is the estimated number of tokens of the results if a model reads each once.
	Tokens int64 `json:"tokens"`
	// Errors counts the failures by type, the most frequent first.
	Errors []ErrorCount `json:"errors"`
}

// ErrorCount counts the failures of one type.
type ErrorCount struct {
	Type  toolspec.ErrorType `json:"type"`
	Calls int                `json:"calls"`
}

// QuestionMetrics counts the questions to a person. P50MS is the median waiting time of the answered questions in
// milliseconds.
type QuestionMetrics struct {
	Asked      int   `json:"asked"`
	Allowed    int   `json:"allowed"`
	Denied     int   `json:"denied"`
	Unanswered int   `json:"lapsed"`
	P50MS      int64 `json:"p50_ms"`
}

// RoundsMetrics counts the turns of models and of the command pilot that took Rounds rounds.
type RoundsMetrics struct {
	Rounds int `json:"rounds"`
	Models int `json:"models"`
	Pilot  int `json:"pilot"`
}

// ModelMetrics contains the figures of one model: of the turns for which it was chosen, and of all requests sent to it.
type ModelMetrics struct {
	Model  string `json:"model"`
	Turns  int    `json:"turns"`
	Rounds int    `json:"rounds"`
	// Requests counts all requests. Failed counts those without a complete answer, Retries those that followed a failed
	// one.
	Requests int `json:"requests"`
	Failed   int `json:"failed"`
	Retries  int `json:"retries"`
	// Input counts all input tokens. Cached were read from a cache and CacheWritten were added to it. Definitions (of
	// tools) and Results (of tools) are also parts of Input; the rest are messages.
	Input        int64 `json:"input"`
	Cached       int64 `json:"cached"`
	CacheWritten int64 `json:"written"`
	Output       int64 `json:"output"`
	Definitions  int64 `json:"definitions"`
	Results      int64 `json:"results"`
	// Cost contains one amount for each currency. Unpriced is the number of tokens without a known price.
	Cost     []chat.Money `json:"cost"`
	Unpriced int64        `json:"unpriced"`
	// FirstChunkP50MS and FirstChunkP95MS are percentiles of the time to the first piece of an answer in milliseconds,
	// by nearest rank. They are 0 if no answer began.
	FirstChunkP50MS int64 `json:"first_p50_ms"`
	FirstChunkP95MS int64 `json:"first_p95_ms"`
}

// TurnTokens is a number of turns with the total of their tokens.
type TurnTokens struct {
	Turns  int   `json:"turns"`
	Tokens int64 `json:"tokens"`
}

// ToolHistory is the response of GET /api/metrics/tool: the durations of a tool over time and its latest failures.
type ToolHistory struct {
	MetricsSpan
	Buckets  []ToolBucket `json:"buckets"`
	Failures []CallRow    `json:"failures"`
}

// ToolBucket is one step of a tool's history. P50MS and P95MS are 0 if no call completed.
type ToolBucket struct {
	Start     time.Time `json:"start"`
	Completed int       `json:"ran"`
	Failed    int       `json:"failed"`
	P50MS     int64     `json:"p50_ms"`
	P95MS     int64     `json:"p95_ms"`
}

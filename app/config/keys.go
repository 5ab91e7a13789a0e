package config

import (
	"fmt"
	"slices"
	"strings"

	"sextant/backend/agent/llm/modelapi"
	"sextant/backend/tools/web"
)

// ThrowAwayProfile is the value of the setting profile for a browser profile that is not saved.
const ThrowAwayProfile = "throw-away"

// Key is one setting: its name in config.toml and in the window, its default and what it does. Its environment
// variable is SEXTANT_ and the name in capitals.
type Key struct {
	Name    string
	Default string
	Doc     string
	// Window is true if a person may change it in the window; it is then stored in SQLite.
	Window bool
	// Secret values are never shown, logged or sent to the window.
	Secret bool
	// OneOf lists the allowed values, nil for any.
	OneOf []string
	// Least and Most bound a whole number; Most 0 means that the value is not a number.
	Least, Most int
	// Check returns what is wrong with a value, instead of OneOf and the bounds; it may be nil.
	Check func(value string) error
}

// Keys is the whole configuration. docs/configuration.md is generated from it.
func Keys() []Key {
	return slices.Concat(generalKeys(), spendingKeys())
}

func generalKeys() []Key {
	return []Key{
		{
			Name: "model", Default: "pilot", Window: true,
			Doc: "Model that answers, as provider/name (openai/…, anthropic/…, gemini/…, openrouter/…, ollama/…, " +
				"lmstudio/…, llamacpp/…, vllm/…) or pilot, the built-in command pilot.",
		},
		{
			Name: "dialects", Check: each(checkDialect), Default: "", Window: true,
			Doc: "Tool-call formats of models that were detected wrongly at first use: provider/model=format, " +
				"separated by commas, e.g. ollama/qwen3=hermes. Formats are native, tool_call, hermes and fenced.",
		},
		{
			Name: "mode", Default: "ask", Window: true, OneOf: []string{"read-only", "ask", "workspace", "full"},
			Doc: "How much the assistant may do without asking.",
		},
		{
			Name: "theme", Default: "system", Window: true, OneOf: []string{"system", "dark", "light"},
			Doc: "Colors of the window.",
		},
		{
			Name: "marks", Default: "on", Window: true, OneOf: []string{"on", "off"},
			Doc: "Whether numbers are drawn over the page.",
		},
		{
			Name: "openai_base_url", Default: "", Window: true,
			Doc: "Address of an OpenAI-compatible service, e.g. https://api.example/v1. Setting it grants requests " +
				"to its host.",
		},
		{
			Name: "openai_api_key", Default: "", Window: true, Secret: true,
			Doc: "Key for that service. Stored with the secrets; never shown again.",
		},
		{
			Name: "openai_format", Default: "auto", Window: true, OneOf: modelapi.Formats(),
			Doc: "Protocol of that service: chat (chat completions), responses, or anthropic (messages). auto uses " +
				"responses at OpenAI's own address, anthropic at Anthropic's and if the address ends in /anthropic, " +
				"else chat.",
		},
		{
			Name: "anthropic_api_key", Default: "", Window: true, Secret: true,
			Doc: "Key for Anthropic (anthropic/…). Stored with the secrets; never shown again.",
		},
		{
			Name: "anthropic_base_url", Default: "", Window: true,
			Doc: "Address for Anthropic's protocol; empty uses Anthropic's own.",
		},
		{
			Name: "gemini_api_key", Default: "", Window: true, Secret: true,
			Doc: "Key for Google's Gemini (gemini/…). Stored with the secrets; never shown again.",
		},
		{
			Name: "gemini_base_url", Default: "", Window: true,
			Doc: "OpenAI-compatible address for Gemini; empty uses Google's own.",
		},
		{
			Name: "openrouter_api_key", Default: "", Window: true, Secret: true,
			Doc: "Key for OpenRouter (openrouter/…). Stored with the secrets; never shown again.",
		},
		{
			Name: "openrouter_base_url", Default: "", Window: true,
			Doc: "Address for OpenRouter; empty uses its own.",
		},
		{
			Name: "fallback_model", Check: checkFallback, Default: "", Window: true,
			Doc: "Model, as provider/name, that answers if the selected one cannot be reached, is over its limits or " +
				"fails; empty is none. The conversation shows when it answered.",
		},
		{
			Name: "calls_per_turn", Default: "10", Window: true, Least: 1, Most: 9999,
			Doc: "Maximum tool calls of the assistant in one turn.",
		},
		{
			Name: "rounds", Default: "10", Window: true, Least: 1, Most: 9999,
			Doc: "Maximum rounds of model and tools in one turn.",
		},
		{
			Name: "context_window", Default: "0", Window: true, Most: 100000000,
			Doc: "Tokens of the model's context window; 0 uses what its service reports or what is known for its " +
				"name. If all tools would take more than a twentieth of it, the model gets a few and finds the " +
				"others.",
		},
		{
			Name: "context_share", Default: "80", Window: true, Least: 1, Most: 100,
			Doc: "How full the model's context window may get, in percent, before the older part of a conversation " +
				"is summarised. The record keeps everything, and the summary can be undone.",
		},
		{
			Name: "answer_repairs", Default: "3", Window: true,
			OneOf: []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"},
			Doc: "How often an answer that does not match its format (sextant run --format) is sent back to the " +
				"model.",
		},
		{
			Name: "addr", Default: "127.0.0.1:0",
			Doc: "Loopback address and port of the server; port 0 uses a free one.",
		},
		{
			Name: "chromium", Default: "",
			Doc: "Path of the Chromium or Chrome to control; empty looks for one on the PATH.",
		},
		{
			Name: "headless", Default: "true", OneOf: []string{"true", "false"},
			Doc: "Whether the controlled browser runs without a window of its own. The browser panel shows it " +
				"either way.",
		},
		{
			Name: "profile", Check: checkProfile, Default: "default",
			Doc: "Name of the browser profile, which stores cookies and storage in the data folder; throw-away uses " +
				"a temporary one. sextant mcp uses a temporary one unless --profile is set.",
		},
		{
			Name: "workspace", Default: "",
			Doc: "Folder the assistant works in; empty is the folder Sextant was started in.",
		},
		{
			Name: "allow_hosts", Check: each(checkHost), Default: "",
			Doc: "Loopback and private hosts that tools and the browser may reach, separated by commas, e.g. " +
				"127.0.0.1,localhost:3000.",
		},
		{
			Name: "deny_hosts", Check: each(checkDeniedHost), Default: "",
			Doc: "Hosts, with all names below them, or host:port that tools and the browser never reach, separated " +
				"by commas; * denies every host that allow_hosts does not name.",
		},
		{
			Name: "groups_off", Check: each(checkGroup), Default: "", Window: true,
			Doc: "Groups of tools that are switched off, separated by commas: files, shell, web.",
		},
		{
			Name: "mcp_client_metadata", Check: checkDocument, Default: "",
			Doc: "Address of a client ID metadata document (https) that describes this program when you sign in to " +
				"remote MCP servers; empty registers it with each server.",
		},
		{
			Name: "tools_off", Check: each(checkToolName), Default: "", Window: true,
			Doc: "Tools that are switched off, by name, separated by commas.",
		},
		{
			Name: "tools_allow", Check: each(checkToolKey), Default: "", Window: true,
			Doc: "Tools that run without the questions that Full mode leaves out, separated by commas: by name, " +
				"those of a panel or a server as owner/name.",
		},
		{
			Name: "tools_ask", Check: each(checkToolName), Default: "", Window: true,
			Doc: "Tools that ask before every call, by name, separated by commas.",
		},
		{
			Name: "web_per_minute", Default: "60", Window: true, Least: 1, Most: 100000,
			Doc: "Maximum requests of http_request and wget in a minute.",
		},
		{
			Name: "search_provider", Default: "duckduckgo", Window: true, OneOf: web.Providers(),
			Doc: "Search service for web_search. DuckDuckGo needs no key, Brave search_key, Google search_key and " +
				"search_engine, SearXNG search_url.",
		},
		{
			Name: "search_key", Default: "", Window: true, Secret: true,
			Doc: "Key for Brave or Google. Stored with the secrets; never shown again.",
		},
		{Name: "search_engine", Default: "", Window: true, Doc: "Id (cx) of the Google search engine."},
		{
			Name: "search_url", Default: "", Window: true,
			Doc: "Address of the SearXNG, or one to use instead of the provider's own. A host on this machine or in " +
				"a private network must also be in allow_hosts.",
		},
		{
			Name: "search_safe", Default: "moderate", Window: true, OneOf: []string{"off", "moderate", "strict"},
			Doc: "How strictly searches leave out adult content.",
		},
		{
			Name: "search_per_minute", Default: "10", Window: true, Least: 1, Most: 100000,
			Doc: "Maximum searches of web_search in a minute.",
		},
		{
			Name: "keychain", Default: "on", OneOf: []string{"on", "off"},
			Doc: "Whether secrets and keys are stored in the desktop's keychain if there is one; otherwise they are " +
				"in a file in the data folder that only you can read.",
		},
		{Name: "panels", Default: "", Doc: "Additional folders with panels, separated by the system's list separator."},
		{
			Name: "log_level", Default: "warn", OneOf: []string{"debug", "info", "warn", "error"},
			Doc: "What is written to stderr.",
		},
	}
}

// KeyNamed finds a key.
func KeyNamed(name string) (Key, bool) {
	for _, k := range Keys() {
		if k.Name == name {
			return k, true
		}
	}
	return Key{}, false
}

// spendingKeys are the settings that say what models cost and may cost.
func spendingKeys() []Key {
	return []Key{
		{
			Name: "prices", Check: checkPrices, Default: "", Window: true,
			Doc: "Prices of models, as provider/model=input/cached/output per million tokens, separated by commas, " +
				"e.g. openai/gpt-5*=1.25/0.125/10 USD, anthropic/*=3/0.3/15/3.75. An asterisk matches any text, a " +
				"fourth price is for writing to the service's cache, and without a currency prices are in USD. " +
				"Models on this machine cost nothing, and OpenRouter reports its prices; any other model without a " +
				"price shows only its tokens.",
		},
		{
			Name: "tokens_per_turn", Check: checkTokens, Default: "0", Window: true,
			Doc: "Tokens that models may read and write in one turn; 0 is no limit. No answer is cut: the turn ends " +
				"before the next request.",
		},
		{
			Name: "tokens_per_conversation", Check: checkTokens, Default: "0", Window: true,
			Doc: "Tokens that models may read and write in one conversation, with all its branches; 0 is no limit. " +
				"Continue allows the same amount again.",
		},
		{
			Name: "cost_per_turn", Check: checkMoney, Default: "0", Window: true,
			Doc: "Maximum cost of one turn, e.g. 0.50 or 2 EUR; 0 is no limit. Requests without a known price are " +
				"not counted.",
		},
		{
			Name: "cost_per_conversation", Check: checkMoney, Default: "0", Window: true,
			Doc: "Maximum cost of one conversation, with all its branches; 0 is no limit. Continue allows the same " +
				"amount again.",
		},
	}
}

// Markdown is docs/configuration.md, generated from Keys.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Configuration\n\nGenerated from `app/config/keys.go` by `make generate`; do not edit.\n\n")
	b.WriteString("The strongest source wins: command line flag, environment variable, `config.toml`, the setting " +
		"in the window, default.\n\n")
	b.WriteString("`config.toml` and `mcp-config.json` are read from `$SEXTANT_CONFIG`, else " +
		"`$XDG_CONFIG_HOME/sextant`, else `~/.config/sextant`.\n")
	b.WriteString("Data (SQLite, browser profile, pictures, your panels) is stored in `$SEXTANT_DATA`, else " +
		"`$XDG_DATA_HOME/sextant`, else `~/.local/share/sextant`.\n\n")
	b.WriteString("| setting | variable | default | in the window | what it does |\n|---|---|---|---|---|\n")
	for _, k := range Keys() {
		window, def, doc := "no", k.Default, k.Doc
		if k.Window {
			window = "yes"
		}
		if def == "" {
			def = "–"
		} else {
			def = "`" + def + "`"
		}
		if k.OneOf != nil {
			doc += " One of `" + strings.Join(k.OneOf, "`, `") + "`."
		}
		fmt.Fprintf(&b, "| `%s` | `SEXTANT_%s` | %s | %s | %s |\n", k.Name, strings.ToUpper(k.Name), def, window, doc)
	}
	return b.String()
}

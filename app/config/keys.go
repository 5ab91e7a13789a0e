package config

import (
	"fmt"
	"slices"
	"strings"

	"sextant/app/autostart"
	"sextant/backend/agent/llm/modelapi"
	"sextant/backend/tools/web"
)

// TemporaryProfile is the value of the setting "profile" for a browser profile that is not saved.
const TemporaryProfile = "throw-away"

// Key describes a setting: its name in config.toml and in the window, its default and its meaning. Its environment
// variable is SEXTANT_ followed by the name in capitals.
type Key struct {
	Name    string
	Default string
	Doc     string
	// Window is true if a person can change the setting in the window. The value is then stored in SQLite.
	Window bool
	// Secret is true if the value is never shown, logged or sent to the window.
	Secret bool
	// OneOf lists the allowed values, nil for any.
	OneOf []string
	// Min and Max are the limits of an integer. If Max is 0, the value is not an integer.
	Min, Max int
	// Check returns an error if a value is invalid. If it is not nil, it replaces OneOf, Min and Max.
	Check func(value string) error
	// Apply has an effect outside of Sextant, before a value of the window is stored. It may be nil.
	Apply func(value string) error
}

// Keys returns all settings. docs/configuration.md is generated from them.
func Keys() []Key {
	return slices.Concat(generalKeys(), spendingKeys())
}

func generalKeys() []Key {
	return []Key{
		{
			Name: "model", Default: "pilot", Window: true,
			Doc: "Model that answers: pilot, the built-in command pilot, or provider/name (openai/…, anthropic/…, " +
				"gemini/…, openrouter/…, ollama/…, lmstudio/…, llamacpp/…, vllm/…).",
		},
		{
			Name: "model_titles", Default: "on", Window: true, OneOf: []string{"on", "off"},
			Doc: "Whether the model that gave the first answer of a conversation is asked for its title. It is one " +
				"short request; if it fails or this is off, the title is the first line of the first message.",
		},
		{
			Name: "notifications", Default: "on", Window: true, OneOf: []string{"on", "off"},
			Doc: "Whether the desktop shows a notification when a turn ends or asks while no window is in front, and " +
				"about runs of schedules and tables.",
		},
		{
			Name: "close_to_tray", Default: "on", Window: true, OneOf: []string{"on", "off"},
			Doc: "Whether Sextant keeps running in the tray of the desktop when its window is closed. Without a " +
				"tray, it ends.",
		},
		{
			Name: "autostart", Default: "off", Window: true, OneOf: []string{"on", "off"},
			Apply: func(value string) error { return autostart.Set(value == "on") },
			Doc: "Whether Sextant starts when you log in to the desktop: in the tray, or with its window if there is " +
				"no tray.",
		},
		{
			Name: "favorite_models", Default: "", Window: true,
			Doc: "Models (provider/name) that the menu of models lists first, separated by commas.",
		},
		{
			Name: "dialects", Check: each(checkDialect), Default: "", Window: true,
			Doc: "Tool call formats of models for which the automatic detection was wrong: provider/model=format, " +
				"separated by commas, e.g. ollama/qwen3=hermes. Formats are native, tool_call, hermes and fenced.",
		},
		{
			Name: "mode", Default: "ask", Window: true, OneOf: []string{"read-only", "ask", "workspace", "full"},
			Doc: "How much the assistant may do without asking.",
		},
		{
			Name: "theme", Default: "system", Window: true, OneOf: []string{"system", "dark", "light"},
			Doc: "Theme of the window.",
		},
		{
			Name: "marks", Default: "on", Window: true, OneOf: []string{"on", "off"},
			Doc: "Whether numbers are drawn over the page.",
		},
		{
			Name: "shortcuts", Default: "", Window: true,
			Doc: "Chosen keyboard shortcuts by command, as JSON; an empty one removes the default.",
		},
		{
			Name: "search_engine", Default: "duckduckgo", Window: true,
			OneOf: []string{"duckduckgo", "startpage", "google", "bing", "ecosia", "wikipedia"},
			Doc:   "Search engine for words in the address bar.",
		},
		{
			Name: "openai_base_url", Default: "", Window: true,
			Doc: "Address of an OpenAI-compatible service, e.g. https://api.example/v1. Setting it allows requests " +
				"to its host.",
		},
		{
			Name: "openai_api_key", Default: "", Window: true, Secret: true,
			Doc: "Key for that service. Stored with the secrets and never shown again.",
		},
		{
			Name: "openai_format", Default: "auto", Window: true, OneOf: modelapi.Formats(),
			Doc: "Protocol of that service: chat (chat completions), responses, or anthropic (messages). auto is " +
				"responses for OpenAI's own address, anthropic for Anthropic's and for addresses that end in " +
				"/anthropic, otherwise chat.",
		},
		{
			Name: "anthropic_api_key", Default: "", Window: true, Secret: true,
			Doc: "Key for Anthropic (anthropic/…). Stored with the secrets and never shown again.",
		},
		{
			Name: "anthropic_base_url", Default: "", Window: true,
			Doc: "Address of a service with Anthropic's protocol; empty means Anthropic's own.",
		},
		{
			Name: "gemini_api_key", Default: "", Window: true, Secret: true,
			Doc: "Key for Google's Gemini (gemini/…). Stored with the secrets and never shown again.",
		},
		{
			Name: "gemini_base_url", Default: "", Window: true,
			Doc: "OpenAI-compatible address of Gemini; empty means Google's own.",
		},
		{
			Name: "openrouter_api_key", Default: "", Window: true, Secret: true,
			Doc: "Key for OpenRouter (openrouter/…). Stored with the secrets and never shown again.",
		},
		{
			Name: "openrouter_base_url", Default: "", Window: true,
			Doc: "Address of OpenRouter; empty means its own.",
		},
		{
			Name: "fallback_model", Check: checkFallback, Default: "", Window: true,
			Doc: "Model (provider/name) that answers when the chosen one cannot be reached, refuses more requests " +
				"or fails; empty means none. A note says each time it answers.",
		},
		{
			Name: "answer_pause", Default: "30", Window: true, Min: 5, Max: 300,
			Doc: "Seconds that a model service may be silent in the middle of an answer before it is given up. " +
				"Local servers have five minutes, and so has the wait for the first word.",
		},
		{
			Name: "calls_per_turn", Default: "10", Window: true, Min: 1, Max: 9999,
			Doc: "Maximum tool calls of the assistant in one turn.",
		},
		{
			Name: "rounds", Default: "10", Window: true, Min: 1, Max: 9999,
			Doc: "Maximum rounds of model and tools in one turn.",
		},
		{
			Name: "context_window", Default: "0", Window: true, Max: 100000000,
			Doc: "Tokens the model can read at once; 0 uses what its service says or what is known about the model. " +
				"If all tools would take more than a twentieth of it, the model gets a few and finds the others.",
		},
		{
			Name: "context_share", Default: "80", Window: true, Min: 1, Max: 100,
			Doc: "How full the model's context window may get, in percent, before the older part of a conversation " +
				"is summarized. The stored conversation stays complete, and the summary can be undone.",
		},
		{
			Name: "answer_repairs", Default: "3", Window: true,
			OneOf: []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"},
			Doc: "How often an answer that does not fit the requested format (sextant run --format) is sent back to " +
				"the model.",
		},
		{
			Name: "addr", Default: "127.0.0.1:0",
			Doc: "Loopback address and port of the server; port 0 uses a free one.",
		},
		{
			Name: "otlp_endpoint", Default: "",
			Doc: "Address of an OpenTelemetry collector, such as http://127.0.0.1:4318, that gets traces and metrics " +
				"of runs of schedules and rows; empty sends nothing.",
		},
		{
			Name: "chromium", Default: "",
			Doc: "Path of the Chromium or Chrome to control; empty searches the PATH.",
		},
		{
			Name: "headless", Default: "true", OneOf: []string{"true", "false"},
			Doc: "Whether the controlled browser runs without its own window. The browser panel shows it either way.",
		},
		{
			Name: "profile", Check: checkProfile, Default: "default",
			Doc: "Name of the browser profile, which keeps cookies and storage in the data folder; throw-away keeps " +
				"nothing. sextant mcp uses throw-away unless --profile names one.",
		},
		{
			Name: "workspace", Default: "",
			Doc: "Folder the assistant works in at first; empty means the folder Sextant was started in. Started in " +
				"the home folder, a window opens the folder that was open last. " +
				"A second start with --workspace hands its folder to the running one.",
		},
		{
			Name: "allow_hosts", Check: each(checkHost), Default: "",
			Doc: "Loopback and private hosts that tools and the browser may reach, separated by commas, e.g. " +
				"127.0.0.1,localhost:3000.",
		},
		{
			Name: "deny_hosts", Check: each(checkDeniedHost), Default: "",
			Doc: "Hosts (including subdomains) or host:port that tools and the browser never reach, separated by " +
				"commas; * denies all that allow_hosts does not name.",
		},
		{
			Name: "groups_off", Check: each(checkGroup), Default: "", Window: true,
			Doc: "Groups of tools that are switched off, separated by commas: files, shell, web.",
		},
		{
			Name: "mcp_client_metadata", Check: checkDocument, Default: "",
			Doc: "Address of a client ID metadata document (https) that identifies this program when signing in to " +
				"remote MCP servers; empty registers it with each of them.",
		},
		{
			Name: "tools_off", Check: each(checkToolName), Default: "", Window: true,
			Doc: "Tools that are switched off, by name, separated by commas.",
		},
		{
			Name: "tools_allow", Check: each(checkToolKey), Default: "", Window: true,
			Doc: "Tools that run without the questions that mode Full leaves out, separated by commas: by name, or " +
				"as owner/name for those of a panel or server.",
		},
		{
			Name: "tools_ask", Check: each(checkToolName), Default: "", Window: true,
			Doc: "Tools that ask before every call, by name, separated by commas.",
		},
		{
			Name: "web_per_minute", Default: "60", Window: true, Min: 1, Max: 100000,
			Doc: "Requests per minute that http_request and wget may make.",
		},
		{
			Name: "search_provider", Default: "duckduckgo", Window: true, OneOf: web.SearchProviders(),
			Doc: "Search engine of web_search. DuckDuckGo needs no key, Brave needs search_key, Google search_key " +
				"and search_cx, SearXNG search_url.",
		},
		{
			Name: "search_key", Default: "", Window: true, Secret: true,
			Doc: "Key for Brave or Google. Stored with the secrets and never shown again.",
		},
		{Name: "search_cx", Default: "", Window: true, Doc: "Google's id (cx) of the search engine of web_search."},
		{
			Name: "search_url", Default: "", Window: true,
			Doc: "Address of SearXNG, or one to use instead of the provider's own. A host on this machine or in a " +
				"private network must also be in allow_hosts.",
		},
		{
			Name: "search_safe", Default: "moderate", Window: true, OneOf: []string{"off", "moderate", "strict"},
			Doc: "How strictly explicit results are filtered.",
		},
		{
			Name: "read_kilobytes", Default: "1024", Window: true, Min: 1, Max: 65536,
			Doc: "The most that one call of read_file returns, in kB.",
		},
		{
			Name: "search_per_minute", Default: "10", Window: true, Min: 1, Max: 100000,
			Doc: "Searches per minute that web_search may make.",
		},
		{
			Name: "keychain", Default: "on", OneOf: []string{"on", "off"},
			Doc: "Whether secrets and keys are stored in the desktop's keychain if there is one; otherwise they are " +
				"in a 0600 file in the data folder.",
		},
		{Name: "panels", Default: "", Doc: "More panel folders, separated by the system's list separator."},
		{
			Name: "log_level", Default: "warn", OneOf: []string{"debug", "info", "warn", "error"},
			Doc: "How much is logged to stderr.",
		},
	}
}

// FindKey returns the key with the given name. It returns false if there is none.
func FindKey(name string) (Key, bool) {
	for _, k := range Keys() {
		if k.Name == name {
			return k, true
		}
	}
	return Key{}, false
}

func spendingKeys() []Key {
	return []Key{
		{
			Name: "prices", Check: checkPrices, Default: "", Window: true,
			Doc: "Prices of models as provider/model=input/cached/output per million tokens, separated by commas, " +
				"e.g. openai/gpt-5*=1.25/0.125/10 USD, anthropic/*=3/0.3/15/3.75. An asterisk matches any text, a " +
				"fourth price is for cache writes, the default currency is USD. Models on this machine are free, " +
				"OpenRouter reports its own prices; others without a price show tokens only.",
		},
		{
			Name: "tokens_per_turn", Check: checkTokens, Default: "0", Window: true,
			Doc: "Tokens that models may read and write in one turn; 0 means no limit. No answer is cut off: the " +
				"turn ends before the next request.",
		},
		{
			Name: "tokens_per_conversation", Check: checkTokens, Default: "0", Window: true,
			Doc: "Tokens that models may read and write in one conversation with all its branches; 0 means no " +
				"limit. Continue allows the same amount again.",
		},
		{
			Name: "cost_per_turn", Check: checkMoney, Default: "0", Window: true,
			Doc: "What one turn may cost, e.g. 0.50 or 2 EUR; 0 means no limit. Models without a price are not " +
				"counted.",
		},
		{
			Name: "cost_per_conversation", Check: checkMoney, Default: "0", Window: true,
			Doc: "What one conversation with all its branches may cost; 0 means no limit. Continue allows the same " +
				"amount again.",
		},
	}
}

// Markdown returns docs/configuration.md, generated from Keys.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Configuration\n\nGenerated from `app/config/keys.go` by `make generate`; do not edit.\n\n")
	b.WriteString("The strongest source wins: command line flag, environment variable, `config.toml`, what was set " +
		"in the window, default.\n\n")
	b.WriteString("Sextant looks for `config.toml` and `mcp-config.json` in `$SEXTANT_CONFIG`, else " +
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

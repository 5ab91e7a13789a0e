package openapi

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/panels/evals"
	"sextant/backend/policy"
	"sextant/backend/sandbox/secrets"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

type enum struct {
	name   string
	goType reflect.Type
	values []any
}

func enumOf[T ~string](name string, values ...T) enum {
	e := enum{name: name, goType: reflect.TypeFor[T]()}
	for _, v := range values {
		e.values = append(e.values, string(v))
	}
	return e
}

// enums lists the string types of the shared packages and of the API's answers; a test compares it with the source.
func enums() []enum {
	return []enum{
		enumOf("CallStatus", event.CallDone, event.CallFailed, event.CallDeclined, event.CallRefused,
			event.CallStopped, event.CallInterrupted),
		enumOf("ApprovalChoice", event.AnswerOnce, event.AnswerConversation, event.AnswerAlways,
			event.AnswerSameProgram, event.AnswerFile, event.AnswerFolder, event.AnswerHost, event.AnswerProgram,
			event.AnswerDeny),
		enumOf("BrowserStatus", event.BrowserAbsent, event.BrowserStopped, event.BrowserStarting, event.BrowserReady,
			event.BrowserFailed),
		enumOf("DialogType", event.DialogAlert, event.DialogConfirm, event.DialogPrompt, event.DialogAuth,
			event.DialogFile, event.DialogBeforeUnload),
		enumOf("PickerType", event.PickerSelect, event.PickerDate, event.PickerMonth, event.PickerWeek,
			event.PickerTime, event.PickerDatetime, event.PickerColor),
		enumOf("DownloadState", event.DownloadRunning, event.DownloadDone, event.DownloadCancelled,
			event.DownloadFailed),
		enumOf("OutputStream", event.StreamStdout, event.StreamStderr, event.StreamProgress),
		enumOf("FieldKind", event.FieldText, event.FieldNumber, event.FieldInteger, event.FieldBoolean,
			event.FieldChoice, event.FieldChoices),
		enumOf("ProblemSeverity", event.SeverityError, event.SeverityWarning),
		enumOf("MetricsStep", wire.StepHour, wire.StepSixHours, wire.StepDay, wire.StepWeek, wire.StepMonth),
		enumOf("WaitingMoment", event.MomentNow, event.MomentNext, event.MomentHeld),
		enumOf("DiskLevel", event.DiskEnough, event.DiskLow, event.DiskFull, event.DiskGone),
		enumOf("Caller", toolspec.CallerPerson, toolspec.CallerPilot, toolspec.CallerModel, toolspec.CallerHTTP,
			toolspec.CallerMCP, toolspec.CallerRun, toolspec.CallerPanel, toolspec.CallerApp,
			toolspec.CallerCreatedTool),
		enumOf("ErrorType", toolspec.ValidationError, toolspec.UserError, toolspec.SystemError,
			toolspec.PermissionError, toolspec.SecurityError),
		enumOf("ToolOrigin", toolspec.OriginBaseline, toolspec.OriginPanel, toolspec.OriginMCP, toolspec.OriginCreated,
			toolspec.OriginRecipe),
		enumOf("GrantScope", toolspec.GrantConversation, toolspec.GrantAlways, toolspec.GrantForbid),
		enumOf("GrantKind", toolspec.GrantFile, toolspec.GrantFolder, toolspec.GrantHost, toolspec.GrantProgram,
			toolspec.GrantSite, toolspec.GrantTool),
		enumOf("PageEffect", toolspec.PageSend, toolspec.PagePost, toolspec.PagePay, toolspec.PageDelete),
		enumOf("FileAccess", toolspec.UseRead, toolspec.UseWrite, toolspec.UseDelete),
		enumOf("MessageRole", chat.RoleUser, chat.RoleAssistant, chat.RoleTool, chat.RoleNote, chat.RoleSummary),
		enumOf("FileKind", chat.FileText, chat.FilePicture, chat.FilePDF, chat.FileDocument),
		enumOf("Status", chat.StatusRunning, chat.StatusDone, chat.StatusStopped, chat.StatusFailed,
			chat.StatusLimit, chat.StatusInterrupted),
		enumOf("MetricsRange", wire.MetricsDay, wire.MetricsWeek, wire.MetricsMonth, wire.MetricsAll),
		enumOf("UndoState", wire.UndoReady, wire.UndoDone, wire.UndoConflict),
		enumOf("Permission", policy.PermissionDefault, policy.PermissionAllow, policy.PermissionAsk,
			policy.PermissionNever),
		enumOf("Verdict", policy.VerdictAllow, policy.VerdictAsk, policy.VerdictRefuse, policy.VerdictDepends),
		enumOf("LinkKind", event.LinkConversation, event.LinkPanel, event.LinkRecipe, event.LinkAddress,
			event.LinkMessage),
		enumOf("SecretPlace", secrets.PlaceHeader, secrets.PlaceQuery, secrets.PlaceBody, secrets.PlaceField,
			secrets.PlaceEnv),
	}
}

func fieldValues() map[reflect.Type]map[string][]any {
	return map[reflect.Type]map[string][]any{
		// The answer is "" if the call was stopped before anybody answered.
		reflect.TypeFor[event.ApprovalAnswer](): {"answer": {
			"", event.AnswerOnce, event.AnswerConversation, event.AnswerAlways, event.AnswerSameProgram,
			event.AnswerFile, event.AnswerFolder, event.AnswerHost, event.AnswerProgram, event.AnswerDeny,
		}},
		reflect.TypeFor[event.MCPServer]():  {"state": {"off", "starting", "ready", "degraded", "down"}},
		reflect.TypeFor[wire.Model]():       {"state": {"ready", "not_running", "no_key", "more"}},
		reflect.TypeFor[wire.ChangedFile](): {"did": {"made", "changed", "removed"}, "by": {wire.ChangedByCommand}},
		reflect.TypeFor[wire.MCPClient]():   {"via": {"stdio", "http"}},
		reflect.TypeFor[wire.ClientMessage](): {
			"kind": {"hello", "live.open", "live.close", "live.ack", "input", "focus", "blur", "surface.reply"},
		},
		reflect.TypeFor[wire.Input](): {"type": {"down", "up", "move", "wheel", "keydown", "keyup", "text"}},
		reflect.TypeFor[wire.Terminal](): {"state": {
			wire.TerminalIdle, wire.TerminalWaiting, wire.TerminalRunning, wire.TerminalEnded, wire.TerminalFailed,
		}},
		reflect.TypeFor[wire.TerminalMessage](): {"kind": {
			"hello", "open", "stop", "again", "close", "resize", "share", "watch", "leave", "drawn",
		}},
		reflect.TypeFor[wire.TerminalUpdate](): {"kind": {"tabs", "opened", "watching", "error"}},
		reflect.TypeFor[evals.Outcome]():       {"state": {"passed", "failed", "skipped"}},
	}
}

func describeEnums(schemas huma.Registry) {
	named := map[reflect.Type]string{}
	for _, e := range enums() {
		schemas.Map()[e.name] = enumSchema(e.values)
		named[e.goType] = e.name
	}
	fields := fieldValues()
	for name, schema := range schemas.Map() {
		t := schemas.TypeFromRef(schemaPrefix + name)
		// Anonymous structs are bodies of requests, whose handlers check the values themselves.
		if t == nil || t.Kind() != reflect.Struct || t.Name() == "" {
			continue
		}
		for _, field := range reflect.VisibleFields(t) {
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			property := schema.Properties[key]
			if property == nil {
				continue
			}
			if values := fields[t][key]; values != nil {
				property.Enum = values
				property.PrecomputeMessages()
			}
			schema.Properties[key] = withEnum(property, field.Type, named)
		}
	}
}

func withEnum(schema *huma.Schema, t reflect.Type, named map[reflect.Type]string) *huma.Schema {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice:
		schema.Items = withEnum(schema.Items, t.Elem(), named)
	case reflect.Map:
		if values, ok := schema.AdditionalProperties.(*huma.Schema); ok {
			schema.AdditionalProperties = withEnum(values, t.Elem(), named)
		}
	case reflect.String:
		if name := named[t]; name != "" && len(schema.Enum) == 0 {
			return &huma.Schema{Ref: schemaPrefix + name, Description: schema.Description}
		}
	}
	return schema
}

func enumSchema(values []any) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Enum: values}
	s.PrecomputeMessages()
	return s
}

package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/backend/attachment"
	"sextant/shared/chat"
)

const (
	attachmentsPath = "/api/attachments"
	uploadTimeout   = time.Minute
)

// AttachedFile is a file to send with a message. Source is the origin of the page that it shows, "" for a file of the
// person.
type AttachedFile struct {
	Blob   string `json:"blob" maxLength:"64"`
	Name   string `json:"name" maxLength:"400"`
	Source string `json:"source,omitempty" maxLength:"400" pattern:"^https?://[^/?#]+$"`
}

func (s *Server) attachmentRoutes() {
	huma.Register(s.api, huma.Operation{
		OperationID: route.OperationID(http.MethodPost, attachmentsPath), Method: http.MethodPost,
		Path:    attachmentsPath,
		Summary: "Store a file to attach to a message", DefaultStatus: http.StatusOK,
		MaxBodyBytes: attachment.MaxBytes, BodyReadTimeout: uploadTimeout,
	}, s.storeAttachment)
	route.Add(s.api, http.MethodPost, attachmentsPath+"/workspace", "Store a workspace file to attach it to a message",
		http.StatusOK, access.WindowOnly(s.attachWorkspaceFile))
}

// storeAttachment answers what the file is and what it costs, so that the person knows before the message is sent.
func (s *Server) storeAttachment(ctx context.Context, in *struct {
	Name    string `query:"name" maxLength:"400" required:"true"`
	RawBody []byte `contentType:"application/octet-stream"`
},
) (*route.Body[chat.File], error) {
	f, err := s.services.Attachments.Add(ctx, in.Name, in.RawBody)
	if err != nil {
		return nil, attachmentProblem(err)
	}
	return route.Answer(f), nil
}

func (s *Server) attachWorkspaceFile(ctx context.Context, in *struct {
	Body struct {
		Path string `json:"path" minLength:"1" maxLength:"4096"`
	}
},
) (*route.Body[chat.File], error) {
	name, data, err := s.services.FileTools.ReadForAttachment(ctx, in.Body.Path, attachment.MaxBytes)
	if err != nil {
		return nil, route.BadRequest(err.Error())
	}
	f, err := s.services.Attachments.Add(ctx, name, data)
	if err != nil {
		return nil, attachmentProblem(err)
	}
	return route.Answer(f), nil
}

func attachmentProblem(err error) error {
	var refused *attachment.RefusedError
	if errors.As(err, &refused) {
		return huma.NewError(http.StatusUnprocessableEntity, refused.Reason)
	}
	return route.InternalError("The file was not stored. Your message is not affected.", err)
}

package mcpserver

import (
	"cmp"
	"crypto/rand"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

type activity struct {
	mu     sync.Mutex
	client string
	calls  int
	last   time.Time
}

func (t *toolServer) noteRequest(req sdk.Request) {
	t.activity.mu.Lock()
	defer t.activity.mu.Unlock()
	t.activity.last = time.Now()
	if o, ok := req.(clientRequest); ok {
		if name := t.clientName(o.ClientInfo()); name != "" {
			t.activity.client = name
		}
	}
	if _, ok := req.(*sdk.CallToolRequest); ok {
		t.activity.calls++
	}
}

const (
	overHTTP  = "http"
	overStdio = "stdio"
)

// ConnectedClient is what the window shows of a connected MCP client.
type ConnectedClient struct {
	// ID identifies the connection, for Disconnect.
	ID string
	// Client is the client's name, "" if it is not known yet. It is text from outside.
	Client string
	// Transport is "http", or "stdio" for a client that joined with `sextant mcp`.
	Transport                string
	ConnectedAt, LastRequest time.Time
	Calls                    int
	// Session names the client's browser tabs, "" for the window's.
	Session string
	Panel   string
}

type connectedClient struct {
	ConnectedClient
	server *toolServer
	end    func()
}

// addClient requires mu.
func (j *JoinServer) addClient(via string, join JoinRequest, d *toolServer, session string, end func()) string {
	now := time.Now()
	v := &connectedClient{
		ConnectedClient: ConnectedClient{
			ID: strings.ToLower(rand.Text()), Client: join.Client, Transport: via, ConnectedAt: now, LastRequest: now,
			Session: session, Panel: join.Panel,
		},
		server: d, end: end,
	}
	j.clients[v.ID] = v
	return v.ID
}

func (j *JoinServer) removeClient(id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.clients, id)
}

// Clients returns the connected clients, the newest first.
func (j *JoinServer) Clients() []ConnectedClient {
	j.mu.Lock()
	all := make([]*connectedClient, 0, len(j.clients))
	for _, v := range j.clients {
		all = append(all, v)
	}
	j.mu.Unlock()
	list := make([]ConnectedClient, 0, len(all))
	for _, v := range all {
		now := v.ConnectedClient
		r := &v.server.activity
		r.mu.Lock()
		now.Calls = r.calls
		now.Client = cmp.Or(r.client, now.Client)
		if r.last.After(now.LastRequest) {
			now.LastRequest = r.last
		}
		r.mu.Unlock()
		list = append(list, now)
	}
	slices.SortFunc(list,
		func(a, b ConnectedClient) int {
			return cmp.Or(b.ConnectedAt.Compare(a.ConnectedAt), strings.Compare(a.ID, b.ID))
		})
	return list
}

// Disconnect disconnects a client and returns whether there is one with that id. The client may connect again, because
// it still has the token.
func (j *JoinServer) Disconnect(id string) bool {
	j.mu.Lock()
	v := j.clients[id]
	j.mu.Unlock()
	if v == nil {
		return false
	}
	v.end()
	return true
}

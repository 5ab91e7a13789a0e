package app

import (
	"context"
	"log/slog"
	"path/filepath"

	"sextant/app/config"
	"sextant/backend/attachment"
	"sextant/backend/pipeline/approval"
	"sextant/backend/sandbox/secrets"
	"sextant/backend/store/audit"
	"sextant/backend/store/backups"
	"sextant/backend/store/blobs"
	"sextant/backend/store/diskspace"
	"sextant/backend/store/eventlog"
	"sextant/backend/store/pending"
	"sextant/backend/store/results"
	"sextant/backend/store/sqlite"
	"sextant/shared/event"
)

// DatabaseName is the name of the SQLite file in the data folder.
const DatabaseName = "sextant.db"

// OpenBackups returns the backups of the database in a data folder.
func OpenBackups(config *config.Config) backups.Folder {
	return backups.New(filepath.Join(config.DataDir, "backups"), filepath.Join(config.DataDir, DatabaseName))
}

func (s *System) openStore(ctx context.Context, _ OpenOptions) error {
	if err := s.openSecrets(); err != nil {
		return err
	}
	s.Backups = OpenBackups(s.Config)
	err := s.Backups.Prepare(ctx, s.Log)
	if err != nil {
		return err
	}
	if s.Store, err = sqlite.Open(ctx, s.dataPath(DatabaseName), s.Log); err != nil {
		return err
	}
	s.OnClose("store", s.Store.Close)
	if s.Events, err = eventlog.New(ctx, s.Store, s.Log); err != nil {
		return err
	}
	s.Events.SetMask(s.Secrets.MaskJSON)
	s.Pending = pending.New(s.Events)
	s.OnClose("events", func() error {
		s.Events.Close()
		s.background.Wait()
		return nil
	})
	s.Approvals = approval.New(s.Events)
	s.Audit = audit.New(s.Store)
	s.inBackground("audit head", audit.HeadKeeper{
		Log: s.Audit, Folder: s.Config.DataDir,
		Failed: func(err error) { s.Log.Warn("where the audit log ends is not on record", "err", err) },
	}.Run)
	if s.Blobs, err = blobs.New(s.dataPath("blobs"), 0); err != nil {
		return err
	}
	s.Attachments = attachment.New(attachment.Config{Blobs: s.Blobs, Cache: s.dataPath("cache/pdf"), Log: s.Log})
	s.OnClose("attachments", s.Attachments.Close)
	if s.Results, err = results.New(ctx, s.dataPath("results"), s.Store, s.Secrets.Mask); err != nil {
		return err
	}
	s.on(event.ConversationDeleted, func(e event.Event) {
		s.Files.ForgetConversation(e.Conversation)
		if err := s.Results.Sweep(context.Background()); err != nil {
			s.Log.Warn("long results of a deleted conversation are left", "err", err)
		}
	})
	s.inBackground("backups", func(ctx context.Context) {
		s.Backups.Run(ctx, s.Store, func(err error) {
			s.Log.Warn("today has no backup; the data itself is not affected", "err", err)
		})
	})
	s.inBackground("search index", s.indexMessages)
	s.inBackground("database check", s.checkDatabase)
	s.Settings, err = config.OpenSettings(ctx, s.Config, s.Store, s.Events, s.Secrets)
	return err
}

// openSecrets opens the secrets. It is called before anything is logged or stored, so that they can be masked.
func (s *System) openSecrets() error {
	v, err := OpenVault(s.Config, s.Log)
	if err != nil {
		return err
	}
	s.Secrets = v
	s.OnClose("secrets", v.Close)
	s.Log = slog.New(secrets.NewLogHandler(s.Log.Handler(), v))
	for _, k := range config.Keys() {
		if !k.Secret {
			continue
		}
		if err := v.ImportKeyFile(k.Name); err != nil {
			// The key is read from its old file until it can be moved.
			s.Log.Warn("a key stays in its file", "key", k.Name, "err", err)
		}
	}
	return nil
}

// OpenVault opens the secrets of a data folder.
func OpenVault(config *config.Config, log *slog.Logger) (*secrets.Vault, error) {
	c := secrets.Config{Dir: filepath.Join(config.DataDir, "secrets"), Log: log}
	if value, _, fixed := config.FixedValue("keychain"); fixed && value == "off" {
		c.NoKeychainReason = "the setting keychain is off"
	} else {
		c.Keychain, c.NoKeychainReason = secrets.DesktopKeychain(config.DataDir)
	}
	return secrets.Open(c)
}

// openDiskSpace watches the free space on the disk of the data folder. When there is enough space again, it records
// what could not be recorded before.
func (s *System) openDiskSpace(context.Context, OpenOptions) error {
	s.DiskSpace = diskspace.New(diskspace.Config{
		Folder: s.Config.DataDir, TryWrite: s.Store.TryWrite, Gone: s.Store.IsGone,
		OnChange: func(d event.Disk) {
			if d.Level != event.DiskFull && d.Level != event.DiskGone {
				if err := s.Pending.FlushAll(context.Background()); err != nil {
					s.Log.Error("what happened while the disk was full is not recorded yet", "err", err)
				}
			}
			s.Events.Broadcast(event.New(event.DiskChanged, d))
			s.Log.Info("free disk space", "level", d.Level, "free", d.Free, "folder", d.Folder)
		},
	})
	s.Store.OnFull(s.DiskSpace.ReportFailure)
	s.OnClose("disk space", func() error { s.DiskSpace.Close(); return nil })
	return nil
}

package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strings"

	"sextant/backend/store/sqlrows"
	"sextant/shared/wire"
)

// maxVisits bounds the stored visits. The oldest are deleted.
const maxVisits = 20_000

// RecordVisit stores v.Count visits of a page. If it was visited before, they are added, and its title and time are
// replaced. A count of 0 only changes the title and time.
func (s *Store) RecordVisit(ctx context.Context, v wire.Visit) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO visits (url, host, title, count, time) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (url) DO UPDATE SET title = excluded.title, count = count + excluded.count, time = excluded.time`,
			v.URL, siteOf(v.URL), v.Title, v.Count, sqlrows.Nanos(v.Time)); err != nil || v.Count == 0 {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM visits WHERE time <=
			(SELECT time FROM visits ORDER BY time DESC LIMIT 1 OFFSET ?)`, maxVisits)
		return err
	})
	if err != nil {
		return fmt.Errorf("storing a visit: %w", err)
	}
	return nil
}

// siteOf returns the host of an address without "www.", "" if it has none.
func siteOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
}

// Visits returns at most limit visited pages whose address or title contains all words of query, the latest first. With
// suggest, pages that are visited often come first, and pages whose host begins with query before all others.
func (s *Store) Visits(ctx context.Context, query string, suggest bool, limit int) ([]wire.Visit, error) {
	where, args := []string{"true"}, []any{}
	for _, word := range strings.Fields(query) {
		where = append(where, `(url || ' ' || title) LIKE ? ESCAPE '\'`)
		args = append(args, "%"+likeEscaper.Replace(word)+"%")
	}
	order := "time DESC"
	if suggest {
		// A visit counts half after a month.
		order = `host LIKE ? ESCAPE '\' DESC, count / (1 + (unixepoch() - time / 1e9) / 2592e3) DESC, time DESC`
		args = append(args, likeEscaper.Replace(query)+"%")
	}
	return sqlrows.Collect(ctx, s.reader, func(row *sql.Rows) (wire.Visit, error) {
		var v wire.Visit
		var at int64
		err := row.Scan(&v.URL, &v.Title, &v.Count, &at)
		v.Time = sqlrows.Time(at)
		return v, err
	}, "reading visited pages", `SELECT url, title, count, time FROM visits WHERE `+strings.Join(where, " AND ")+
		` ORDER BY `+order+` LIMIT ?`, append(args, limit)...)
}

var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// DeleteVisits deletes the visit of an address, those of a site with its subdomains, or all if both are "".
func (s *Store) DeleteVisits(ctx context.Context, address, site string) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		where, args := "true", []any{}
		if address != "" {
			where, args = "url = ?", []any{address}
		} else if site != "" {
			where, args = `(host = ? OR host LIKE ? ESCAPE '\')`, []any{site, "%." + likeEscaper.Replace(site)}
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM visits WHERE "+where, args...)
		return err
	})
	if err != nil {
		return fmt.Errorf("deleting visited pages: %w", err)
	}
	return nil
}

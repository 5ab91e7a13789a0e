// Package sqlrows reads the rows of SQL queries into slices, and converts times to the integers that the database
// stores.
package sqlrows

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// Queryer runs queries. *sql.DB and *sql.Tx implement it.
type Queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Collect reads all rows of a query. Without an error the slice is not nil, so that JSON encodes it as []. doing names
// the operation in errors.
func Collect[T any](
	ctx context.Context, q Queryer, scan func(*sql.Rows) (T, error), doing, query string, args ...any,
) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	defer rows.Close()
	all := []T{}
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", doing, err)
		}
		all = append(all, one)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	return all, nil
}

// Scan reads a row with one column. It is a scan function for Collect.
func Scan[T any](row *sql.Rows) (value T, err error) { return value, row.Scan(&value) }

// ScanJSON reads a row with one column that contains JSON. It is a scan function for Collect.
func ScanJSON[T any](row *sql.Rows) (value T, err error) {
	var data []byte
	if err := row.Scan(&data); err != nil {
		return value, err
	}
	return value, json.Unmarshal(data, &value)
}

// Nanos converts t to the integer that the database stores: nanoseconds since 1970.
func Nanos(t time.Time) int64 { return t.UnixNano() }

// Time converts the result of Nanos back to a time in UTC.
func Time(nanos int64) time.Time { return time.Unix(0, nanos).UTC() }

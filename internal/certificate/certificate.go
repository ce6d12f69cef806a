// Package certificate gives servers TLS with a certificate that may be renewed while they run.
package certificate

import (
	"crypto/tls"
	"errors"
	"fmt"
)

// Config is the configuration of a server with a certificate and its key, files in PEM. Each connection reads them, so a renewed
// certificate needs no restart; while the two files do not fit together, no connection succeeds. It returns an error if one is
// missing or if they cannot be used now.
func Config(certFile, keyFile string) (*tls.Config, error) {
	if certFile == "" || keyFile == "" {
		return nil, errors.New("TLS needs both a certificate and its key: one of the two files is missing")
	}
	read := func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(certFile, keyFile)
		if err != nil {
			return nil, fmt.Errorf("TLS certificate: %w", err)
		}
		return &pair, nil
	}
	_, err := read(nil)
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: read}, err
}

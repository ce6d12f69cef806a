// Package certificate configures TLS servers with renewable certificates.
package certificate

import (
	"crypto/tls"
	"errors"
	"fmt"
)

// Config returns a server configuration for a certificate and its key, PEM files. Each connection reads the files, so a
// renewed certificate needs no restart. Config returns an error if a file is missing or unusable.
func Config(certFile, keyFile string) (*tls.Config, error) {
	if certFile == "" || keyFile == "" {
		return nil, errors.New("TLS needs both a certificate and its key: name both files")
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

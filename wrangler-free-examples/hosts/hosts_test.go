// A control plane for each test, in Go: `apiserver hosts` runs, and HOSTS_URL is its URL. The kubeconfig is for client-go.
//
//	apiserver hosts &
//	HOSTS_URL=https://127.0.0.1:6443 go test ./...
package hosts

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// ask sends one request to the interface and returns the answer.
func ask(t testing.TB, method, path, body string) []byte {
	t.Helper()
	files := setting("HOSTS_FILES", ".apiserver/hosts")
	token, err := os.ReadFile(filepath.Join(files, "token"))
	if err != nil {
		t.Fatal(err)
	}
	authority, err := os.ReadFile(filepath.Join(files, "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	defer client.CloseIdleConnections()
	url := setting("HOSTS_URL", "https://127.0.0.1:6443") + "/hosts/v1/servers" + path
	request, err := http.NewRequest(method, url, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(response.Body)
	if response.StatusCode >= 300 {
		t.Fatalf("%s %s: %s", method, path, answer)
	}
	return answer
}

// StartServer makes a server that ends with the test, and returns its kubeconfig.
func StartServer(t testing.TB) []byte {
	t.Helper()
	name := fmt.Sprintf("go-%d", time.Now().UnixNano())
	ask(t, "POST", "", fmt.Sprintf(`{"name": %q, "ttlSeconds": 3600}`, name))
	t.Cleanup(func() { ask(t, "DELETE", "/"+name, "") })
	return ask(t, "GET", "/"+name+"/kubeconfig", "")
}

func TestServer(t *testing.T) {
	var config struct {
		Clusters []struct{ Cluster struct{ Server string } }
		Users    []struct{ User struct{ Token string } }
	}
	if err := json.Unmarshal(StartServer(t), &config); err != nil {
		t.Fatal(err)
	}
	if len(config.Clusters) != 1 || config.Users[0].User.Token == "" {
		t.Fatalf("unexpected kubeconfig: %v", config)
	}
}

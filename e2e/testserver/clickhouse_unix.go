//go:build unix

package testserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func startClickHouse18(bin string) (*ClickHouse18Server, error) {
	var failed error
	for range startAttempts {
		s, err := startClickHouse18In(bin)
		if err == nil {
			return s, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

func startClickHouse18In(bin string) (*ClickHouse18Server, error) {
	dir, err := os.MkdirTemp("", "loamch")
	if err != nil {
		return nil, err
	}
	s, err := launchClickHouse18(dir, bin)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := s.await(); err != nil {
		log, readErr := os.ReadFile(filepath.Join(dir, "errors"))
		s.Kill()
		return nil, errors.Join(err, readErr, fmt.Errorf("server log: %s", log))
	}
	return s, nil
}

func launchClickHouse18(dir, bin string) (*ClickHouse18Server, error) {
	attr, err := serverAccount(dir, "clickhouse")
	if err != nil {
		return nil, err
	}
	s := &ClickHouse18Server{Host: "127.0.0.1", Dir: dir, CAFile: filepath.Join(dir, caFile)}
	for _, port := range []*int{&s.Port, &s.SecurePort, &s.HTTPPort, &s.HTTPSPort} {
		if *port, err = freePort(); err != nil {
			return nil, err
		}
	}
	if err := writeCertificates(dir, attr.Credential); err != nil {
		return nil, err
	}
	fill := strings.NewReplacer("{dir}", dir, "{password}", ClickHousePassword,
		"{tcp}", fmt.Sprint(s.Port), "{tcps}", fmt.Sprint(s.SecurePort), "{http}", fmt.Sprint(s.HTTPPort), "{https}", fmt.Sprint(s.HTTPSPort))
	for name, text := range map[string]string{"config.xml": clickHouse18Config, "users.xml": clickHouse18Users} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(fill.Replace(text)), 0o644); err != nil {
			return nil, err
		}
	}
	if err := makeFolders(attr.Credential, filepath.Join(dir, "data"), filepath.Join(dir, "data", "tmp")); err != nil {
		return nil, err
	}
	s.process, err = startProcess(dir, attr, "KILL", bin, "--config-file="+filepath.Join(dir, "config.xml"))
	return s, err
}

// makeFolders makes folders that belong to the account of a server.
func makeFolders(account *syscall.Credential, folders ...string) error {
	for _, folder := range folders {
		if err := os.Mkdir(folder, 0o755); err != nil {
			return err
		}
		if account != nil {
			if err := os.Chown(folder, int(account.Uid), int(account.Gid)); err != nil {
				return err
			}
		}
	}
	return nil
}

// await waits until the server answers, and asks for its version.
func (s *ClickHouse18Server) await() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		answer, err := s.Ask(ctx, ClickHouseAdmin, "default", "SELECT version()")
		if err == nil {
			s.Version = strings.TrimSpace(answer)
			_, err = s.Ask(ctx, ClickHouseAdmin, "default", "SYSTEM FLUSH LOGS") // makes the log of queries, which comes with its first entry
			return err
		}
		select {
		case <-tick.C:
		case <-s.process.done:
			return fmt.Errorf("the server ended while starting: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("the server did not answer: %w", err)
		}
	}
}

// The old server reads its folders, caches and users from these files alone.
const clickHouse18Config = `<?xml version="1.0"?>
<yandex>
  <logger><level>warning</level><log>{dir}/messages</log><errorlog>{dir}/errors</errorlog></logger>
  <listen_host>127.0.0.1</listen_host>
  <tcp_port>{tcp}</tcp_port><tcp_port_secure>{tcps}</tcp_port_secure>
  <http_port>{http}</http_port><https_port>{https}</https_port>
  <path>{dir}/data/</path><tmp_path>{dir}/data/tmp/</tmp_path><user_files_path>{dir}/data/user_files/</user_files_path>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
  <timezone>UTC</timezone>
  <mark_cache_size>67108864</mark_cache_size>
  <openSSL><server>
    <certificateFile>{dir}/server.pem</certificateFile><privateKeyFile>{dir}/server.key</privateKeyFile>
    <verificationMode>none</verificationMode><loadDefaultCAFile>true</loadDefaultCAFile>
  </server></openSSL>
  <remote_servers><loam_itself><shard><replica>
    <host>127.0.0.1</host><port>{tcp}</port><user>loam_admin</user><password>{password}</password>
    <default_database>default</default_database><!-- which makes it another server -->
  </replica></shard></loam_itself></remote_servers>
  <query_log><database>system</database><table>query_log</table><flush_interval_milliseconds>1000</flush_interval_milliseconds></query_log>
</yandex>
`

const clickHouse18Users = `<?xml version="1.0"?>
<yandex>
  <profiles>
    <default><log_queries>1</log_queries><allow_experimental_low_cardinality_type>1</allow_experimental_low_cardinality_type></default>
    <settings><readonly>2</readonly></settings>
    <reader><readonly>1</readonly></reader>
  </profiles>
  <quotas><default></default></quotas>
  <users>
    <loam_admin><password>{password}</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></loam_admin>
    <loam_settings><password>{password}</password><networks><ip>127.0.0.1</ip></networks><profile>settings</profile><quota>default</quota></loam_settings>
    <loam_reader><password>{password}</password><networks><ip>127.0.0.1</ip></networks><profile>reader</profile><quota>default</quota></loam_reader>
    <loam_limited><password>{password}</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
      <allow_databases><database>default</database><database>loam_visible</database></allow_databases></loam_limited>
  </users>
</yandex>
`

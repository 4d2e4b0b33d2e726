import { counter, gauge, type Metrics } from '../../metrics.ts'
import type { Clock, ProcessNumber, ProcessUsage } from '../../ports.ts'

/** By what the runtime tells about the process. */
export const processRows = {
  cpuSeconds: counter('process_cpu_seconds_total', 'User and system time of the process, in seconds.', { stability: null }),
  residentBytes: gauge('process_resident_memory_bytes', 'Resident memory of the process, in bytes.', { stability: null }),
  virtualBytes: gauge('process_virtual_memory_bytes', 'Virtual memory of the process, in bytes.', { stability: null }),
  virtualBytesLimit: gauge('process_virtual_memory_max_bytes', 'Limit of virtual memory, in bytes; -1: none.', { stability: null }),
  openFiles: gauge('process_open_fds', 'Open file descriptors.', { stability: null }),
  openFilesLimit: gauge('process_max_fds', 'Limit of open file descriptors.', { stability: null }),
  receivedBytes: counter('process_network_receive_bytes_total', 'Bytes received by the host, or the container.', { stability: null }),
  sentBytes: counter('process_network_transmit_bytes_total', 'Bytes sent by the host, or the container.', { stability: null }),
  handshakeErrors: counter('apiserver_tls_handshake_errors_total', 'TLS handshakes of clients that failed.'),
  // Dashboards read this name as the measure of concurrency.
  waiting: gauge('go_goroutines', 'Counterpart of goroutines: sockets, timers and calls that the event loop waits for.', {
    stability: null,
  }),
} as const satisfies { readonly [name in ProcessNumber]: unknown }

export const startRows = {
  started: gauge('process_start_time_seconds', 'Start of the process, in seconds since the epoch.', { stability: null }),
}

export function collectStart(metrics: Metrics, clock: Clock): void {
  const started = clock.now() / 1000
  metrics.collect(startRows.started, () => [[[], started]])
}

/** Metrics of the process, as far as the runtime knows them. */
export function collectProcess(metrics: Metrics, usage: ProcessUsage): void {
  for (const [name, read] of Object.entries(usage) as [ProcessNumber, ProcessUsage[ProcessNumber]][]) {
    if (read === undefined) continue
    metrics.collect(processRows[name], () => {
      const value = read()
      return value === undefined ? [] : [[[], value]]
    })
  }
}

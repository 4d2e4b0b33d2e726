import { atomicList, bool, field, int32, int64, message, pointer, required, string, time } from '../../schema/model.ts'

export const PodAttachOptions = message('PodAttachOptions', "Query of a call that attaches to a container's main process.", () => ({
  stdin: field(1, bool, 'Sends standard input.'),
  stdout: field(2, bool, 'Receives standard output.'),
  stderr: field(3, bool, 'Receives standard error.'),
  tty: field(4, bool, 'A terminal was allocated for the process.'),
  container: field(5, string, 'Container to attach to; may be left out when there is one only.'),
})).with({ typeMeta: true })

export const PodExecOptions = message('PodExecOptions', 'Query of a call that runs a command in a container.', () => ({
  stdin: field(1, bool, 'Sends standard input.'),
  stdout: field(2, bool, 'Receives standard output.'),
  stderr: field(3, bool, 'Receives standard error.'),
  tty: field(4, bool, 'Allocates a terminal.'),
  container: field(5, string, 'Container to run in; may be left out when there is one only.'),
  command: required(6, atomicList(string), 'Command and its arguments; no shell is involved.'),
})).with({ typeMeta: true })

export const PodLogOptions = message('PodLogOptions', "Query of a call that reads a container's log.", () => ({
  container: field(1, string, 'Container to read; may be left out when there is one only.'),
  follow: field(2, bool, 'Keeps the stream open for new log lines.'),
  previous: field(3, bool, 'Reads the log of the previous run.'),
  sinceSeconds: pointer(4, int64, 'Maximum age of lines in seconds; excludes sinceTime.'),
  sinceTime: pointer(5, time, 'Only lines logged after this time; excludes sinceSeconds.'),
  timestamps: field(6, bool, 'Starts each line with its time.'),
  tailLines: pointer(7, int64, 'Number of lines from the end of the log.'),
  limitBytes: pointer(8, int64, 'Maximum number of bytes in the response.'),
  insecureSkipTLSVerifyBackend: field(9, bool, 'Does not verify the certificate of the node agent.'),
  stream: pointer(10, string, 'All, Stdout or Stderr.', { gate: 'PodLogsQuerySplitStreams' }),
})).with({ typeMeta: true })

export const PodPortForwardOptions = message('PodPortForwardOptions', 'Query of a call that forwards ports to a pod.', () => ({
  ports: field(1, atomicList(int32), 'Ports to forward; needed with the WebSocket protocol.'),
})).with({ typeMeta: true })

import {
  atomicList,
  field,
  type Gated,
  type Infer,
  inline,
  int32,
  int64,
  intOrString,
  message,
  pointer,
  required,
  string,
} from '../../schema/model.ts'
import { Signal } from './enums.ts'

export const ExecAction = message('ExecAction', 'A command that is run in the container.', () => ({
  command: field(1, atomicList(string), 'Command and arguments; no shell; exit code 0 is success.'),
}))

export const HTTPHeader = message('HTTPHeader', 'A header of a probe request.', () => ({
  name: required(1, string, 'Header name.'),
  value: required(2, string, 'Header value.'),
}))

export const HTTPGetAction = message('HTTPGetAction', 'A GET request to the container.', () => ({
  path: field(1, string, 'Path of the request.'),
  port: required(2, intOrString, 'Port number or name.'),
  host: field(3, string, 'Host to connect to; the pod by default. The Host header can be set in httpHeaders.'),
  scheme: field(4, string, 'HTTP or HTTPS.', { goType: 'v1.URIScheme', enum: ['HTTP', 'HTTPS'] }),
  httpHeaders: field(5, atomicList(HTTPHeader), 'Headers to send; names may repeat.'),
})).with({
  defaults(action) {
    action.path ||= '/'
    action.scheme ||= 'HTTP'
  },
})

export const TCPSocketAction = message('TCPSocketAction', 'A connection to a port.', () => ({
  port: required(1, intOrString, 'Port number or name.'),
  host: field(2, string, 'Host to connect to; the pod by default.'),
}))

export const GRPCAction = message('GRPCAction', 'A call of the gRPC health service.', () => ({
  port: required(1, int32, 'Port number.'),
  service: pointer(2, string, 'Service name in the health check request.', { default: '', omitEmpty: false }),
}))

export const ProbeHandler = message('ProbeHandler', 'What a probe does; one member is set.', () => ({
  exec: pointer(1, ExecAction, 'Runs a command.'),
  httpGet: pointer(2, HTTPGetAction, 'Sends a GET request.'),
  tcpSocket: pointer(3, TCPSocketAction, 'Opens a connection.'),
  grpc: pointer(4, GRPCAction, 'Calls the gRPC health service.'),
}))

export const Probe = message('Probe', 'A health check of a container.', () => ({
  handler: inline(1, ProbeHandler),
  initialDelaySeconds: field(2, int32, "Seconds from the container's start to the first check."),
  timeoutSeconds: field(3, int32, 'Seconds until a check counts as failed; 1 by default.'),
  periodSeconds: field(4, int32, 'Seconds between checks; 10 by default.'),
  successThreshold: field(5, int32, 'Successes in a row that end a failure; 1 for liveness and startup.'),
  failureThreshold: field(6, int32, 'Failures in a row that count as a failure; 3 by default.'),
  terminationGracePeriodSeconds: pointer(7, int64, "Grace period of a restart after a failure; the pod's by default."),
})).with({
  defaults(probe) {
    probe.timeoutSeconds ||= 1
    probe.periodSeconds ||= 10
    probe.successThreshold ||= 1
    probe.failureThreshold ||= 3
  },
})

export const SleepAction = message('SleepAction', 'A pause.', () => ({
  seconds: required(1, int64, 'Its length.'),
}))

export const LifecycleHandler = message('LifecycleHandler', 'What a hook does; one member is set.', () => ({
  exec: pointer(1, ExecAction, 'Runs a command.'),
  httpGet: pointer(2, HTTPGetAction, 'Sends a GET request.'),
  tcpSocket: pointer(3, TCPSocketAction, 'Deprecated and without effect.'),
  sleep: pointer(4, SleepAction, 'Waits.'),
}))

interface WithLifecycle {
  lifecycle?: Infer<typeof Lifecycle> | null | undefined
}

/** Dropped with its stop signal, if it has nothing else. */
export const stopSignals: Gated<WithLifecycle> = {
  gate: 'ContainerStopSignals',
  uses: ({ lifecycle }) => lifecycle?.stopSignal !== undefined,
  drop(container) {
    const { lifecycle } = container
    delete lifecycle?.stopSignal
    if (lifecycle && Object.keys(lifecycle).length === 0) delete container.lifecycle
  },
}

export const Lifecycle = message('Lifecycle', 'Hooks of a container.', () => ({
  postStart: pointer(1, LifecycleHandler, 'Runs right after the start; a failure ends the container.'),
  preStop: pointer(2, LifecycleHandler, 'Runs before a stop; the grace period is already counting.'),
  stopSignal: pointer(3, string, "Signal that stops the container; the image's by default.", {
    goType: 'v1.Signal',
    enum: Signal,
    gate: 'ContainerStopSignals',
  }),
}))

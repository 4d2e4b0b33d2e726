/** Validation of probes and lifecycle hooks. */

import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { portNumber } from '../../schema/formats/formats.ts'
import type { Infer } from '../../schema/model.ts'
import { validateCounts, validateFormat, validateSupported } from '../validation.ts'
import type { Container } from './container.ts'
import { Signal } from './enums.ts'
import type { HTTPGetAction, LifecycleHandler, Lifecycle as LifecycleSchema, Probe as ProbeSchema } from './probe.ts'

type Probe = Infer<typeof ProbeSchema>
type Lifecycle = Infer<typeof LifecycleSchema>
type Handler = Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'> & Pick<Infer<typeof LifecycleHandler>, 'sleep'>

/** Context: data of the pod. */
export interface Surroundings {
  readonly gracePeriod: number | undefined
  readonly os: string | undefined
}

export function validatePort(port: number | string, path: FieldPath, errors: FieldErrors): void {
  if (typeof port === 'string') validateFormat(port, 'portName', path, errors)
  else for (const problem of portNumber(port)) errors.invalid(path, port, problem)
}

function validateHttpGet(
  { path: target, port, scheme, httpHeaders = [] }: Infer<typeof HTTPGetAction>,
  path: FieldPath,
  errors: FieldErrors,
) {
  if (!target) errors.required(path.child('path'))
  validatePort(port, path.child('port'), errors)
  validateSupported(scheme, ['HTTP', 'HTTPS'], path.child('scheme'), errors)
  for (const { name } of httpHeaders) validateFormat(name, 'httpHeaderName', path.child('httpHeaders'), errors)
}

function validateSleep(seconds: number, { gracePeriod }: Surroundings, path: FieldPath, errors: FieldErrors): void {
  if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return
  errors.invalid(path, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`)
}

function validateHandler(handler: Handler, around: Surroundings, path: FieldPath, errors: FieldErrors): void {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler
  const rules = {
    exec: exec && ((at: FieldPath) => (exec.command?.length ? undefined : errors.required(at.child('command')))),
    httpGet: httpGet && ((at: FieldPath) => validateHttpGet(httpGet, at, errors)),
    tcpSocket: tcpSocket && ((at: FieldPath) => validatePort(tcpSocket.port, at.child('port'), errors)),
    grpc: grpc && ((at: FieldPath) => validatePort(grpc.port, at.child('port'), errors)),
    sleep: sleep && ((at: FieldPath) => validateSleep(sleep.seconds, around, at, errors)),
  }
  validateOneOf(rules, 'may not specify more than 1 handler type', path, errors)
  if (!Object.values(rules).some(Boolean)) errors.required(path, 'must specify a handler type')
}

/** Validates the first member that is set; the others are forbidden. */
function validateOneOf(
  members: { readonly [name: string]: ((at: FieldPath) => void) | undefined },
  refusal: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  let found = false
  for (const [name, validateHandler] of Object.entries(members)) {
    if (!validateHandler) continue
    if (found) errors.forbidden(path.child(name), refusal)
    else validateHandler(path.child(name))
    found = true
  }
}

const counts = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const

function validateProbe(probe: Probe, around: Surroundings, path: FieldPath, errors: FieldErrors): void {
  validateHandler(probe, around, path, errors)
  validateCounts(probe, counts, path, errors)
  const { terminationGracePeriodSeconds: period } = probe
  if (period !== undefined && period <= 0) errors.invalid(path.child('terminationGracePeriodSeconds'), period, 'must be greater than 0')
}

type Probed = Pick<Infer<typeof Container>, 'livenessProbe' | 'readinessProbe' | 'startupProbe'>

export function validateProbes(
  { livenessProbe, readinessProbe, startupProbe }: Probed,
  around: Surroundings,
  path: FieldPath,
  errors: FieldErrors,
) {
  const once = (probe: Probe | undefined, at: FieldPath) => {
    if (probe === undefined) return
    validateProbe(probe, around, at, errors)
    if (probe.successThreshold !== 1) errors.invalid(at.child('successThreshold'), probe.successThreshold ?? 0, 'must be 1')
  }
  once(livenessProbe, path.child('livenessProbe'))
  if (readinessProbe) {
    const at = path.child('readinessProbe')
    validateProbe(readinessProbe, around, at, errors)
    const period = readinessProbe.terminationGracePeriodSeconds
    if (period !== undefined) errors.invalid(at.child('terminationGracePeriodSeconds'), period, 'must not be set for readinessProbes')
  }
  once(startupProbe, path.child('startupProbe'))
}

export function validateLifecycle(
  { postStart, preStop, stopSignal }: Lifecycle,
  around: Surroundings,
  path: FieldPath,
  errors: FieldErrors,
) {
  if (postStart) validateHandler(postStart, around, path.child('postStart'), errors)
  if (preStop) validateHandler(preStop, around, path.child('preStop'), errors)
  if (stopSignal === undefined) return
  const at = path.child('stopSignal')
  if (around.os === undefined) errors.forbidden(at, 'may not be set for containers with empty `spec.os.name`')
  else validateSupported(stopSignal, around.os === 'windows' ? ['SIGKILL', 'SIGTERM'] : [...Signal].sort(), at, errors)
}

/** Allocates node ports of a service. Changes the spec and the set in place; after an ApiError the set must be discarded. */

import { internalError, unreasoned } from '../../../answers/status.ts'
import { mayHoldPorts, needsHealthCheckPort, needsNodePorts, type ServiceSpec } from '../../../resources/core/service-defaults.ts'
import { FieldErrors } from '../../../schema/field-error.ts'
import { FieldPath } from '../../../schema/field-path.ts'
import { AllocationError } from './allocation-error.ts'
import type { PortSource } from './port-set.ts'
import { nodePortsOf, type ServicePort } from './service.ts'

const path = FieldPath.of('spec', 'ports')

/** A requested port is not available. */
export class PortRefused extends Error {
  override readonly name = 'PortRefused'
  readonly errors = new FieldErrors()
  constructor(index: number, port: number, why: string) {
    super(why)
    this.errors.invalid(path.index(index).child('nodePort'), port, why)
  }
}

function orInternal<T>(what: string, take: () => T): T {
  try {
    return take()
  } catch (error) {
    if (error instanceof AllocationError) throw internalError(`failed to allocate ${what}: ${error.message}`)
    throw error
  }
}

function takeWanted(set: PortSource, index: number, port: number): number {
  try {
    set.take(port)
    return port
  } catch (error) {
    if (error instanceof AllocationError) throw new PortRefused(index, port, error.message)
    throw error
  }
}

/** Allocates the ports of a new service: protocols of one port share a node port. */
function takeNew(spec: ServiceSpec, set: PortSource): void {
  const ports = spec.ports ?? []
  const byPort = new Map<number, number>()
  const wanted = new Map<number, number>()
  for (const { port, nodePort } of ports) if (nodePort && !wanted.has(port)) wanted.set(port, nodePort)
  for (const [index, port] of ports.entries()) {
    if (!port.nodePort && !needsNodePorts(spec)) continue
    const known = byPort.get(port.port)
    if (known === undefined) {
      const want = wanted.get(port.port)
      port.nodePort = want === undefined ? orInternal('a nodePort', () => set.takeAny()) : takeWanted(set, index, want)
      byPort.set(port.port, port.nodePort)
    } else if (!port.nodePort) port.nodePort = known
    else if (port.nodePort !== known) takeWanted(set, index, port.nodePort)
  }
}

/** A node port with its protocol, as errors name it. */
const useOf = ({ protocol, nodePort }: ServicePort) => `{${protocol} ${nodePort}}`

function repeatsPorts({ ports = [] }: ServiceSpec): boolean {
  const uses = ports.filter(({ nodePort }) => nodePort).map(useOf)
  return new Set(uses).size < uses.length
}

/** Allocates the ports of an existing service, which keeps its own. Equal ones fail here, before validation could name them. */
function takeMore(spec: ServiceSpec, old: ServiceSpec, set: PortSource): void {
  const own = new Set(nodePortsOf(old))
  const used = new Set<string>()
  for (const [index, port] of (spec.ports ?? []).entries()) {
    if (!port.nodePort) {
      if (!needsNodePorts(spec)) continue
      port.nodePort = orInternal('a nodePort', () => set.takeAny())
    } else if (!own.has(port.nodePort)) {
      takeWanted(set, index, port.nodePort)
      own.add(port.nodePort)
    }
    const use = useOf(port)
    if (used.has(use)) throw unreasoned(`duplicate nodePort: ${use}`)
    used.add(use)
  }
}

const lacksHealthCheck = (spec: ServiceSpec, old: ServiceSpec | undefined) =>
  needsHealthCheckPort(spec) && !(old && needsHealthCheckPort(old))

function takeHealthCheck(spec: ServiceSpec, set: PortSource): void {
  const want = spec.healthCheckNodePort
  if (want) orInternal(`requested HealthCheck NodePort ${want}`, () => set.take(want))
  else spec.healthCheckNodePort = orInternal('a HealthCheck NodePort 0', () => set.takeAny())
}

/** Whether `takePorts` would allocate a port, or refuse the ports of an existing service. */
export function lacksPorts(spec: ServiceSpec, old: ServiceSpec | undefined): boolean {
  const own = new Set(old && nodePortsOf(old))
  const lacks = ({ nodePort = 0 }: ServicePort) => (nodePort ? !own.has(nodePort) : needsNodePorts(spec))
  const isIncomplete = mayHoldPorts(spec) && ((spec.ports ?? []).some(lacks) || (old !== undefined && repeatsPorts(spec)))
  return isIncomplete || lacksHealthCheck(spec, old)
}

/** Allocates the ports that the spec needs and `old` does not have. */
export function takePorts(spec: ServiceSpec, old: ServiceSpec | undefined, set: PortSource): void {
  if (mayHoldPorts(spec)) {
    if (old) takeMore(spec, old, set)
    else takeNew(spec, set)
  }
  if (lacksHealthCheck(spec, old)) takeHealthCheck(spec, set)
}

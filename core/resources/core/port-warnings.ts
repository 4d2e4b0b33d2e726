/** Warnings about conflicting ports of a pod's containers. */
import type { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import type { ContainerPort as ContainerPortSchema } from './container.ts'

type ContainerPort = Infer<typeof ContainerPortSchema>

interface Named {
  readonly at: FieldPath
  readonly ports?: readonly ContainerPort[] | undefined
}

interface Known {
  readonly at: FieldPath
  readonly hostIP: string
  readonly hostPort: number
}

/** A port in the reference's format. */
const shown = ({ name = '', containerPort, protocol = '', hostIP = '', hostPort = 0 }: ContainerPort) =>
  `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`

/** Warning about two definitions of the same port and protocol; undefined: no conflict. */
function conflict(one: Known, other: Known): string | undefined {
  if (one.hostIP === other.hostIP && one.hostPort === other.hostPort) return 'duplicate'
  if (one.hostPort === 0 || other.hostPort === 0) return 'overlapping'
  const ambiguous = one.hostPort === other.hostPort && (one.hostIP === '') !== (other.hostIP === '')
  return ambiguous ? 'dangerously ambiguous' : undefined
}

/** Maximum compared definitions of one port, because the cost grows with their square. */
const maxCompared = 256

/** @param containers in the order of warnings: init containers first */
export function* portWarnings(containers: readonly Named[]): Iterable<string> {
  const known = new Map<string, Known[]>()
  for (const { at: container, ports = [] } of containers) {
    for (const [index, port] of ports.entries()) {
      const { hostIP = '', hostPort = 0, containerPort, protocol } = port
      const own = { at: container.child('ports').index(index), hostIP, hostPort }
      if (hostIP !== '' && hostPort === 0) yield `${own.at}: hostIP set without hostPort: ${shown(port)}`
      const key = `${containerPort}/${protocol}`
      const others = known.get(key)
      if (others === undefined) {
        known.set(key, [own])
        continue
      }
      for (const other of others) {
        const what = conflict(own, other)
        if (what) yield `${own.at}: ${what} port definition with ${other.at}`
      }
      if (others.length < maxCompared) others.push(own)
    }
  }
  yield* nameWarnings(containers)
}

function* nameWarnings(containers: readonly Named[]): Iterable<string> {
  const known = new Map<string, FieldPath>()
  for (const { at: container, ports = [] } of containers) {
    for (const [index, { name }] of ports.entries()) {
      if (!name) continue
      const at = container.child('ports').index(index)
      const first = known.get(name)
      if (first === undefined) known.set(name, at)
      else {
        const advice = `services and probes that select ports by name will use ${first}`
        yield `${at}: duplicate port name ${JSON.stringify(name)} with ${first}, ${advice}`
      }
    }
  }
}

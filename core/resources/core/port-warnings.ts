/** Warnings about ports that several containers of a pod name. */
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

/** How the reference prints a port. */
const shown = ({ name = '', containerPort, protocol = '', hostIP = '', hostPort = 0 }: ContainerPort) =>
  `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`

/** What is to be said about two definitions of one port and protocol; undefined when they get along. */
function conflict(one: Known, other: Known): string | undefined {
  if (one.hostIP === other.hostIP && one.hostPort === other.hostPort) return 'duplicate'
  if (one.hostPort === 0 || other.hostPort === 0) return 'overlapping'
  const ambiguous = one.hostPort === other.hostPort && (one.hostIP === '') !== (other.hostIP === '')
  return ambiguous ? 'dangerously ambiguous' : undefined
}

/** Definitions of one port that are compared with a further one: bounds the work, which grows with their square. */
const mostCompared = 256

/** @param containers in the order in which they are told about: init containers first. */
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
      if (others.length < mostCompared) others.push(own)
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

import type { ServiceSpec as ServiceSpecSchema } from '../../resources/core/service.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { Infer } from '../../schema/model.ts'
import type { Amounts } from './amounts.ts'
import { countName, type Evaluator } from './evaluator.ts'

type ServiceSpec = Infer<typeof ServiceSpecSchema>

const count = countName({ group: '', resource: 'services' })
const names = [count, 'services', 'services.nodeports', 'services.loadbalancers']

/** Counts requested node ports, which may not be allocated yet. */
function nodePorts({ type, ports, allocateLoadBalancerNodePorts: allocates }: ServiceSpec): number {
  const all = ports ?? []
  if (type === 'NodePort') return all.length
  if (type !== 'LoadBalancer') return 0
  return allocates === false ? all.filter(({ nodePort }) => nodePort).length : all.length
}

function usage(service: ApiObject): Amounts {
  const spec = (service['spec'] ?? {}) as ServiceSpec
  return {
    [count]: '1',
    services: '1',
    'services.nodeports': String(nodePorts(spec)),
    'services.loadbalancers': spec.type === 'LoadBalancer' ? '1' : '0',
  }
}

export const serviceEvaluator: Evaluator = {
  handles: ({ operation, subresource }) => subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'),
  counts: (name) => names.includes(name),
  usage,
}

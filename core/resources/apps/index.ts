import type { ResourceDefinition } from '../definition.ts'
import { controllerRevisions } from './controllerrevision.ts'
import { daemonSets } from './daemonset.ts'
import { deployments } from './deployment.ts'
import { replicaSets } from './replicaset.ts'
import { statefulSets } from './statefulset.ts'

export * from './controllerrevision.ts'
export * from './daemonset.ts'
export * from './deployment.ts'
export * from './replicaset.ts'
export * from './statefulset.ts'

export const definitions: readonly ResourceDefinition[] = [controllerRevisions, daemonSets, deployments, replicaSets, statefulSets]

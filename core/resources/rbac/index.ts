import type { ResourceDefinition } from '../definition.ts'
import { clusterRoles } from './clusterrole.ts'
import { clusterRoleBindings } from './clusterrolebinding.ts'
import { roles } from './role.ts'
import { roleBindings } from './rolebinding.ts'

export * from './clusterrole.ts'
export * from './clusterrolebinding.ts'
export * from './role.ts'
export * from './rolebinding.ts'
export * from './rule.ts'
export * from './subject.ts'

export const definitions: readonly ResourceDefinition[] = [clusterRoleBindings, clusterRoles, roleBindings, roles]

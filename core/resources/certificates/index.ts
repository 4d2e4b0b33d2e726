import type { ResourceDefinition } from '../definition.ts'
import { certificateSigningRequests } from './certificatesigningrequest.ts'

export * from './certificatesigningrequest.ts'

export const definitions: readonly ResourceDefinition[] = [certificateSigningRequests]

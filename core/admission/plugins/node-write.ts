import type { ApiError } from '../../answers/status.ts'
import type { AdmissionAttributes } from '../attributes.ts'
import type { PluginContext } from '../context.ts'

/** A write by a node. */
export interface NodeWrite extends Pick<PluginContext, 'platform' | 'authorizer' | 'enabled' | 'find'> {
  readonly attributes: AdmissionAttributes
  /** Name of the node. */
  readonly node: string
  refuse(why: string): ApiError
}

/** Throws an ApiError to deny the write. */
export type NodeCheck = (write: NodeWrite) => Promise<void> | void

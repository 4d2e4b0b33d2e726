/** What an evaluation may cost, before any value is known. */
import type { CelType } from '../types.ts'

export interface Range {
  readonly min: number
  readonly max: number
}

export interface EstimatedNode {
  readonly type: CelType
}

export interface EstimatedCall {
  readonly target: EstimatedNode | undefined
  readonly args: readonly EstimatedNode[]
}

export interface CallEstimate {
  readonly cost: Range
  readonly size?: Range
}

import type { ResourceDefinition } from '../definition.ts'
import { selfSubjectReviews } from './selfsubjectreview.ts'
import { tokenReviews } from './tokenreview.ts'

export * from './selfsubjectreview.ts'
export * from './tokenrequest.ts'
export * from './tokenreview.ts'
export * from './userinfo.ts'

export const definitions: readonly ResourceDefinition[] = [selfSubjectReviews, tokenReviews]

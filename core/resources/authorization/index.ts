import type { ResourceDefinition } from '../definition.ts'
import { localSubjectAccessReviews } from './localsubjectaccessreview.ts'
import { selfSubjectAccessReviews } from './selfsubjectaccessreview.ts'
import { selfSubjectRulesReviews } from './selfsubjectrulesreview.ts'
import { subjectAccessReviews } from './subjectaccessreview.ts'

export * from './attributes.ts'
export * from './localsubjectaccessreview.ts'
export * from './selfsubjectaccessreview.ts'
export * from './selfsubjectrulesreview.ts'
export * from './subjectaccessreview.ts'

export const definitions: readonly ResourceDefinition[] = [
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
]

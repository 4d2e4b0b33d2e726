import { describe, test } from 'node:test'
import { faultSuite } from './fault-suite.ts'

describe('faults and requests on Node', () => {
  for (const [title, run] of Object.entries(faultSuite)) test(title, run)
})

import { describe, test } from 'node:test'
import { harnessSuite } from './suite.ts'

describe('test harness on Node', () => {
  for (const [title, run] of Object.entries(harnessSuite)) test(title, run)
})

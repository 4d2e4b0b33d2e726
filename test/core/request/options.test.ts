import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../../core/answers/status.ts'
import { createPlatform } from '../../../core/platform.ts'
import { deleteOptionsOf, readDeleteOptions } from '../../../core/request/delete-options.ts'
import {
  managerOf,
  readCreateOptions,
  readGetOptions,
  readIncludeObject,
  readListOptions,
  readPatchOptions,
  readUpdateOptions,
} from '../../../core/request/options.ts'
import { parseListVersion, parseVersion } from '../../../core/request/resource-version.ts'

const platform = createPlatform()
const query = (text: string) => new URLSearchParams(text)
const list = (text: string, watchList = true) => readListOptions(query(text), platform, watchList)

function refused(code: number, message: string | RegExp, run: () => unknown): void {
  assert.throws(run, (error) => {
    assert.ok(error instanceof ApiError, String(error))
    assert.equal(error.status.code, code)
    if (typeof message === 'string') assert.equal(error.message, message)
    else assert.match(error.message, message)
    return true
  })
}

test('list options', () => {
  assert.deepEqual(list(''), {})
  const options = list('labelSelector=a%3Db&fieldSelector=metadata.name%3Dx&limit=500&continue=c&timeoutSeconds=30&watch=false')
  assert.equal(options.labelSelector?.toString(), 'a=b')
  assert.deepEqual(options.fieldSelector, [{ field: 'metadata.name', operator: '=', value: 'x' }])
  assert.deepEqual([options.limit, options.continue, options.timeoutSeconds, options.watch], [500, 'c', 30, false])
  assert.equal(list('watch=').watch, true)
})

test('a watch without resourceVersion starts with the existing objects', () => {
  assert.deepEqual(list('watch=1'), { watch: true, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' })
  assert.deepEqual(list('watch=1&resourceVersion=0').sendInitialEvents, true)
  assert.deepEqual(list('watch=1&resourceVersion=5'), { watch: true, resourceVersion: '5' })
  assert.deepEqual(list('watch=1', false), { watch: true })
})

test('list options are validated', () => {
  const prefix = 'ListOptions.meta.k8s.io "" is invalid: '
  const rows: [text: string, message: string][] = [
    ['resourceVersionMatch=Exact', 'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided'],
    [
      'resourceVersion=1&resourceVersionMatch=x',
      'resourceVersionMatch: Unsupported value: "x": supported values: "Exact", "NotOlderThan", ""',
    ],
    [
      'resourceVersion=0&resourceVersionMatch=Exact',
      'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    [
      'resourceVersion=1&resourceVersionMatch=Exact&continue=c',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
    ],
    ['sendInitialEvents=true', 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'],
    [
      'watch=1&sendInitialEvents=true',
      'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    ],
    [
      'watch=1&resourceVersionMatch=NotOlderThan',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ],
  ]
  for (const [text, message] of rows) refused(422, prefix + message, () => list(text))
  refused(422, /sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled/, () =>
    list('watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan', false),
  )
  refused(400, 'strconv.ParseInt: parsing "x": invalid syntax', () => list('limit=x'))
  refused(400, 'strconv.ParseInt: parsing "9223372036854775808": value out of range', () => list('limit=9223372036854775808'))
  refused(400, /^unable to parse requirement/, () => list('labelSelector=-'))
  refused(400, 'strconv.ParseInt: parsing "\\x01\\u2028é": invalid syntax', () => list('limit=%01%E2%80%A8%C3%A9'))
  // Selectors are parsed last.
  for (const selector of ['labelSelector=-', 'fieldSelector=x'])
    refused(400, 'strconv.ParseInt: parsing "": invalid syntax', () => list(`${selector}&timeoutSeconds=`))
  refused(400, /^unable to parse requirement/, () => list('fieldSelector=x&labelSelector=-'))
})

test('write options', () => {
  assert.deepEqual(readCreateOptions(query(''), platform), { dryRun: false, fieldManager: '', fieldValidation: 'Warn', given: {} })
  assert.deepEqual(readUpdateOptions(query('dryRun=All&fieldManager=me&fieldValidation=Strict'), platform), {
    dryRun: true,
    fieldManager: 'me',
    fieldValidation: 'Strict',
    given: { dryRun: ['All'], fieldManager: 'me', fieldValidation: 'Strict' },
  })
  refused(422, 'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"', () =>
    readCreateOptions(query('dryRun=Some'), platform),
  )
  refused(
    422,
    'UpdateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "no": supported values: "", "Ignore", "Strict", "Warn"',
    () => readUpdateOptions(query('fieldValidation=no'), platform),
  )
  refused(422, /fieldManager: Too long: may not be more than 128 bytes$/, () =>
    readCreateOptions(query(`fieldManager=${'é'.repeat(65)}`), platform),
  )
  refused(422, /fieldManager: Invalid value: "é\\n": invalid character U\+000A \(at position 2\)$/, () =>
    readCreateOptions(query('fieldManager=é%0A'), platform),
  )
})

test('patch options', () => {
  assert.equal(readPatchOptions(query('fieldManager=a&force=true'), platform, true).force, true)
  refused(422, 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch', () =>
    readPatchOptions(query(''), platform, true),
  )
  refused(422, 'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch', () =>
    readPatchOptions(query('force=false'), platform, false),
  )
})

test('delete options come from the query or the body', () => {
  assert.deepEqual(readDeleteOptions(query('gracePeriodSeconds=0&propagationPolicy=Orphan&uid=u&dryRun=All'), platform), {
    dryRun: true,
    gracePeriodSeconds: 0,
    propagationPolicy: 'Orphan',
    preconditions: { uid: 'u' },
  })
  assert.deepEqual(deleteOptionsOf({}, platform), { dryRun: false })
  const body = { kind: 'DeleteOptions', apiVersion: 'v1', orphanDependents: false, preconditions: { resourceVersion: '5' } }
  assert.deepEqual(deleteOptionsOf(body, platform), { dryRun: false, orphanDependents: false, preconditions: { resourceVersion: '5' } })
  refused(422, /propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set/, () =>
    deleteOptionsOf({ propagationPolicy: 'Orphan', orphanDependents: true }, platform),
  )
  refused(422, /propagationPolicy: Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil"/, () =>
    readDeleteOptions(query('propagationPolicy=x'), platform),
  )
})

test('the field manager defaults to the product of the user agent', () => {
  assert.equal(managerOf('given', 'kubectl/v1'), 'given')
  assert.equal(managerOf('', 'kubectl/v1.36 (linux)'), 'kubectl')
  assert.equal(managerOf('', `a\u0001${'b'.repeat(200)}/1`).length, 128)
  assert.equal(managerOf('', ''), '')
})

test('other options', () => {
  assert.deepEqual(readGetOptions(query('resourceVersion=5')), { resourceVersion: '5' })
  assert.equal(readIncludeObject(query('')), 'Metadata')
  assert.equal(readIncludeObject(query('includeObject=Object')), 'Object')
  refused(
    400,
    `Unable to convert to Table as requested: includeObject: Invalid value: "x": must be 'Metadata', 'Object', 'None', or empty`,
    () => readIncludeObject(query('includeObject=x')),
  )
  assert.deepEqual(['', '0', '12'].map(parseListVersion), [0, 0, 12])
  assert.deepEqual(['', '0', '12'].map(parseVersion), [0, 0, 12])
  refused(500, 'resourceVersion: Invalid value: "a": strconv.ParseUint: parsing "a": invalid syntax', () => parseVersion('a'))
  refused(400, 'invalid resource version: resourceVersion: Invalid value: "a": strconv.ParseUint: parsing "a": invalid syntax', () =>
    parseListVersion('a'),
  )
})

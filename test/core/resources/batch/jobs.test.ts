import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causesOf, startServer, tables, withChanges } from '../support.ts'

const client = startServer()
const pod = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] }
const template = { metadata: { labels: { app: 'sum' } }, spec: pod }
const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'sum' }, spec: { template } }
const path = (plural: string) => `/apis/batch/v1/namespaces/default/${plural}`
const indexed = { 'spec.completionMode': 'Indexed', 'spec.completions': 5 }
const rule = { action: 'FailJob', onExitCodes: { operator: 'In', values: [1, 2] } }

tables(
  client,
  { path: path('jobs'), manifest: job },
  {
    stored: [
      [
        'all defaults',
        {},
        {
          metadata: { labels: { app: 'sum' }, generation: 1 },
          spec: {
            parallelism: 1,
            completions: 1,
            backoffLimit: 6,
            completionMode: 'NonIndexed',
            suspend: false,
            manualSelector: false,
            podReplacementPolicy: 'TerminatingOrFailed',
            template: { metadata: { labels: { app: 'sum', 'job-name': 'sum', 'batch.kubernetes.io/job-name': 'sum' } } },
          },
        },
      ],
      ['no completions for a work queue', { 'spec.parallelism': 3 }, { spec: { parallelism: 3, completions: undefined } }],
      ['completions without parallelism', { 'spec.completions': 3 }, { spec: { parallelism: 1, completions: 3 } }],
      ['backoffLimitPerIndex', { ...indexed, 'spec.backoffLimitPerIndex': 1 }, { spec: { backoffLimit: 2147483647 } }],
      [
        'podReplacementPolicy with a failure policy',
        { 'spec.podFailurePolicy.rules': [rule] },
        { spec: { podReplacementPolicy: 'Failed' } },
      ],
      [
        'status of a pod condition pattern',
        { 'spec.podFailurePolicy.rules': [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
        { spec: { podFailurePolicy: { rules: [{ onPodConditions: [{ status: 'True' }] }] } } },
      ],
      [
        'a manual selector',
        { 'spec.manualSelector': true, 'spec.selector.matchLabels': { app: 'sum' } },
        { spec: { selector: { matchLabels: { app: 'sum' } }, template: { metadata: { labels: { app: 'sum', 'job-name': undefined } } } } },
      ],
    ],
    refused: [
      [
        'restartPolicy Always',
        { 'spec.template.spec.restartPolicy': undefined },
        ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
      ],
      [
        'negative numbers',
        { 'spec.parallelism': -1, 'spec.backoffLimit': -1 },
        [
          'spec.parallelism: Invalid value: -1: must be greater than or equal to 0',
          'spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0',
        ],
      ],
      [
        'indexed without completions',
        { 'spec.completionMode': 'Indexed', 'spec.parallelism': 2 },
        ['spec.completions: Required value: when completion mode is Indexed'],
      ],
      [
        'backoffLimitPerIndex without Indexed completion',
        { 'spec.backoffLimitPerIndex': 1 },
        ['spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode'],
      ],
      [
        'more failures than completions',
        { ...indexed, 'spec.backoffLimitPerIndex': 1, 'spec.maxFailedIndexes': 6 },
        ['spec.maxFailedIndexes: Invalid value: 6: must be less than or equal to completions'],
      ],
      [
        'manual selector that does not match',
        { 'spec.manualSelector': true, 'spec.selector.matchLabels': { app: 'other' } },
        ['spec.template.metadata.labels: Invalid value: {"app":"sum"}: `selector` does not match template `labels`'],
      ],
      [
        'no manual selector',
        { 'spec.manualSelector': true },
        [
          'spec.selector: Required value',
          'spec.template.metadata.labels: Invalid value: {"app":"sum"}: `selector` does not match template `labels`',
        ],
      ],
      [
        'failure policy with restartPolicy OnFailure',
        { 'spec.podFailurePolicy.rules': [rule], 'spec.template.spec.restartPolicy': 'OnFailure' },
        ['spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified'],
      ],
      [
        'invalid exit codes',
        { 'spec.podFailurePolicy.rules': [{ action: 'FailJob', onExitCodes: { operator: 'In', containerName: 'x', values: [3, 0, 3] } }] },
        [
          'spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: "x": must be one of the container or initContainer names in the pod template',
          'spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator',
          'spec.podFailurePolicy.rules[0].onExitCodes.values[2]: Duplicate value: 3',
          'spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [3,0,3]: must be ordered',
        ],
      ],
      [
        'FailIndex without Indexed completion',
        { 'spec.podFailurePolicy.rules': [{ ...rule, action: 'FailIndex' }] },
        ['spec.podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set'],
      ],
      [
        'success policy without indexes',
        { 'spec.successPolicy.rules': [{ succeededCount: 1 }] },
        ['spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: requires indexed completion mode'],
      ],
      [
        'more successes than indexes',
        { ...indexed, 'spec.successPolicy.rules': [{ succeededIndexes: '0-2', succeededCount: 4 }] },
        [
          'spec.successPolicy.rules[0].succeededCount: Invalid value: 4: must be less than or equal to 3 (the number of indexes in the specified succeededIndexes field)',
        ],
      ],
      [
        'index out of range',
        { ...indexed, 'spec.successPolicy.rules': [{ succeededIndexes: '1,5' }] },
        ['spec.successPolicy.rules[0].succeededIndexes: Invalid value: "1,5": error parsing succeededIndexes: too large index: "5"'],
      ],
      [
        'managedBy without a domain',
        { 'spec.managedBy': 'me' },
        ['spec.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")'],
      ],
    ],
    updates: [
      ['parallelism and suspend', { 'spec.parallelism': 2, 'spec.suspend': true }, []],
      ['completions', { 'spec.completions': 2 }, ['spec.completions: Invalid value: 2: field is immutable']],
      ['completion mode', { 'spec.completionMode': 'Indexed' }, ['spec.completionMode: Invalid value: "Indexed": field is immutable']],
    ],
  },
)

test('a job selects its pods by its uid', async () => {
  const { body } = await (await client).send('POST', `${path('jobs')}?dryRun=All`, job)
  const uid = body.metadata['uid']
  const spec = body['spec'] as { selector: unknown; template: { metadata: { labels: { [label: string]: string } } } }
  assert.deepEqual(spec.selector, { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } })
  assert.equal(spec.template.metadata.labels['controller-uid'], uid)
  assert.equal(spec.template.metadata.labels['batch.kubernetes.io/controller-uid'], uid)
})

test('the template of a job is immutable, except for scheduling directives while it is suspended', async () => {
  const { send } = await client
  const running = await send('POST', path('jobs'), withChanges(job, { 'metadata.name': 'running' }))
  const refused = await send(
    'PUT',
    `${path('jobs')}/running`,
    withChanges(running.body, { 'spec.template.spec.nodeSelector': { zone: 'a' } }),
  )
  assert.equal(refused.code, 422)
  assert.match(causesOf(refused)[0] ?? '', /^spec\.template: Invalid value: .*: field is immutable$/)
  const waiting = await send('POST', path('jobs'), withChanges(job, { 'metadata.name': 'waiting', 'spec.suspend': true }))
  const moved = await send(
    'PUT',
    `${path('jobs')}/waiting`,
    withChanges(waiting.body, { 'spec.template.spec.nodeSelector': { zone: 'a' } }),
  )
  assert.equal(moved.code, 200, JSON.stringify(moved.body))
  const images = await send(
    'PUT',
    `${path('jobs')}/waiting`,
    withChanges(waiting.body, { 'metadata.resourceVersion': undefined, 'spec.template.spec.containers.0.image': 'other' }),
  )
  assert.equal(images.code, 422)
})

test('container resources of a suspended job may change while no pods are running', async () => {
  const { send } = await client
  const resources = { 'spec.template.spec.containers.0.resources': { requests: { cpu: '2' } }, 'metadata.resourceVersion': undefined }
  const name = 'resized'
  const made = await send('POST', path('jobs'), withChanges(job, { 'metadata.name': name, 'spec.suspend': true }))
  const changed = await send('PUT', `${path('jobs')}/${name}`, withChanges(made.body, resources))
  assert.equal(changed.code, 200, JSON.stringify(changed.body))
  const report = (status: object) => send('PUT', `${path('jobs')}/${name}/status`, { ...changed.body, metadata: { name }, status })
  const started = { startTime: '2026-01-02T03:04:05Z' }
  assert.equal((await report(started)).code, 200)
  const another = { ...resources, 'spec.template.spec.containers.0.resources': { requests: { cpu: '3' } } }
  const refused = await send('PUT', `${path('jobs')}/${name}`, withChanges(made.body, another))
  assert.match(causesOf(refused).join(), /^spec\.template: .*field is immutable$/)
  const conditions = [{ type: 'Suspended', status: 'True' }]
  assert.equal((await report({ ...started, conditions })).code, 200)
  const again = await send('PUT', `${path('jobs')}/${name}`, withChanges(made.body, another))
  assert.equal(again.code, 200, JSON.stringify(again.body))
})

test('validates the status of a job', async () => {
  const { send } = await client
  const made = await send('POST', path('jobs'), withChanges(job, { 'metadata.name': 'status' }))
  const url = `${path('jobs')}/status/status`
  const complete = { type: 'Complete', status: 'True' }
  const bad = await send(
    'PUT',
    url,
    withChanges(made.body, { status: { active: 1, ready: 2, conditions: [complete], completedIndexes: '1' } }),
  )
  assert.deepEqual(
    causesOf(bad).map((cause) => cause.replace('null: ', '')),
    [
      'status.completionTime: Required value: completionTime is required for Complete jobs',
      'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
      'status.active: Invalid value: 1: active>0 is invalid for finished job',
      'status.startTime: Required value: startTime is required for finished job',
      'status.completedIndexes: Invalid value: "1": error parsing completedIndexes: too large index: "1"',
      'status.completedIndexes: Invalid value: "1": cannot set non-empty completedIndexes when non-indexed completion mode',
      'status.ready: Invalid value: 2: cannot set more ready pods than active',
    ],
  )
})

const cronJob = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'nightly' },
  spec: { schedule: '0 3 * * *', jobTemplate: { spec: { template } } },
}
const tooLong = 'n'.repeat(53)
tables(
  client,
  { path: path('cronjobs'), manifest: cronJob },
  {
    stored: [
      [
        'all defaults',
        {},
        {
          spec: {
            concurrencyPolicy: 'Allow',
            suspend: false,
            successfulJobsHistoryLimit: 3,
            failedJobsHistoryLimit: 1,
            jobTemplate: { spec: { parallelism: undefined, backoffLimit: undefined, suspend: undefined } },
          },
          status: {},
        },
      ],
      [
        '@hourly with a time zone',
        { 'spec.schedule': '@hourly', 'spec.timeZone': 'Europe/Berlin' },
        { spec: { timeZone: 'Europe/Berlin' } },
      ],
    ],
    refused: [
      ['no schedule', { 'spec.schedule': undefined }, ['spec.schedule: Required value']],
      ['bad schedule', { 'spec.schedule': '* *' }, ['spec.schedule: Invalid value: "* *": expected exactly 5 fields, found 2: [* *]']],
      [
        'time zone in the schedule',
        { 'spec.schedule': 'TZ=UTC 0 * * * *' },
        ['spec.schedule: Invalid value: "TZ=UTC 0 * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead'],
      ],
      [
        'unknown time zone',
        { 'spec.timeZone': 'Mars/North' },
        ['spec.timeZone: Invalid value: "Mars/North": unknown time zone Mars/North'],
      ],
      ...['europe/berlin', 'UTC ', '+01:00', 'Europe', 'America/new_york'].map(
        (zone) =>
          [`time zone ${zone}`, { 'spec.timeZone': zone }, [`spec.timeZone: Invalid value: "${zone}": unknown time zone ${zone}`]] as const,
      ),
      [
        'time zone Local',
        { 'spec.timeZone': 'Local' },
        ['spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'],
      ],
      [
        'unknown policy',
        { 'spec.concurrencyPolicy': 'Maybe' },
        ['spec.concurrencyPolicy: Unsupported value: "Maybe": supported values: "Allow", "Forbid", "Replace"'],
      ],
      ['long name', { 'metadata.name': tooLong }, [`metadata.name: Invalid value: "${tooLong}": must be no more than 52 characters`]],
      [
        'selector in the template',
        { 'spec.jobTemplate.spec.selector': { matchLabels: { a: 'b' } } },
        ['spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated'],
      ],
      [
        'manual selector in the template',
        { 'spec.jobTemplate.spec.manualSelector': true },
        ['spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"'],
      ],
      [
        'restarting pods',
        { 'spec.jobTemplate.spec.template.spec.restartPolicy': 'Always' },
        ['spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
      ],
      [
        'negative limits',
        { 'spec.failedJobsHistoryLimit': -1 },
        ['spec.failedJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0'],
      ],
    ],
    updates: [['schedule', { 'spec.schedule': '0 4 * * *' }, []]],
  },
)

/** The labels of a created job, without the generated ones, and whether it has all four of them. */
async function createdLabels(name: string, labels: unknown, templateLabels: unknown) {
  const { send } = await client
  const { body } = await send('POST', path('jobs'), {
    ...job,
    metadata: { name, labels },
    spec: { template: { ...template, metadata: { labels: templateLabels } } },
  })
  const { metadata } = body as unknown as { metadata: { uid: string; labels: Record<string, string> } }
  const generated = {
    'batch.kubernetes.io/controller-uid': metadata.uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': metadata.uid,
    'job-name': name,
  }
  const all = Object.entries(generated).every(([label, value]) => metadata.labels[label] === value)
  const own = Object.fromEntries(Object.entries(metadata.labels).filter(([label]) => !(label in generated)))
  return { own, generated: all && Object.keys(metadata.labels).length === Object.keys(own).length + 4 }
}

test('a job without labels gets those of its template and the generated ones, and is found by them', async () => {
  assert.deepEqual(await createdLabels('bare', undefined, undefined), { own: {}, generated: true })
  assert.deepEqual(await createdLabels('templated', undefined, { app: 'a' }), { own: { app: 'a' }, generated: true })
  const { send } = await client
  const { body } = await send('GET', `${path('jobs')}?labelSelector=job-name=bare`)
  assert.deepEqual(
    (body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name),
    ['bare'],
  )
})

test('a job with labels of its own keeps just those, even if they equal those of its template', async () => {
  assert.deepEqual(await createdLabels('labelled', { team: 'b' }, { app: 'a' }), { own: { team: 'b' }, generated: false })
  assert.deepEqual(await createdLabels('equal', { app: 'a' }, { app: 'a' }), { own: { app: 'a' }, generated: false })
})

test('the unset time counts as given: a job that is not complete has no completion time', async () => {
  const { send } = await client
  const { body } = await send('POST', path('jobs'), { ...job, metadata: { name: 'unset' } })
  const write = (status: object) => send('PUT', `${path('jobs')}/unset/status?dryRun=All`, { ...body, status })
  const unset = '0001-01-01T00:00:00Z'
  assert.deepEqual(causesOf(await write({ completionTime: unset })), [
    'status.completionTime: Invalid value: null: cannot set completionTime when there is no Complete=True condition',
  ])
  const { status } = (await write({ startTime: unset })).body
  assert.deepEqual(status, { startTime: null })
})

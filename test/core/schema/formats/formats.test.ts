import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type FormatName, formats, inRange, maskTrailingDash, portNumber } from '../../../../core/schema/formats/formats.ts'
import { contains, formatAddress, parseAddress, parseNetwork } from '../../../../core/schema/formats/ip.ts'
import { openapiFormat } from '../../../../core/schema/openapi/formats.ts'
import { assertCheap } from '../../../support/cost.ts'
import fc from '../../../support/fast-check.ts'

/** Valid and invalid values of each format. */
const cases: Readonly<Record<FormatName, readonly [good: readonly string[], bad: readonly string[]]>> = {
  dns1123Label: [
    ['a', '0', 'a-b', 'a'.repeat(63)],
    ['', 'A', '-a', 'a-', 'a.b', 'a_b', 'é', 'a'.repeat(64)],
  ],
  dns1123Subdomain: [
    ['a', 'a.b-c.0', 'a'.repeat(253)],
    ['', '.a', 'a.', 'a..b', 'A.b', 'a_b', 'a'.repeat(254)],
  ],
  longNameCaseless: [
    ['a', 'A.b-C.0', 'a'.repeat(253)],
    ['', '.a', 'a.', 'a..b', 'a_b', 'a'.repeat(254)],
  ],
  shortName: [
    ['a', 'a-0', 'a'.repeat(63)],
    ['', 'a.b', '-a', 'A', 'a_b', 'a'.repeat(64)],
  ],
  longName: [
    ['a', 'a.b-c.0', 'a'.repeat(253)],
    ['', '.a', 'a.', 'a..b', 'A.b', 'a_b', 'a'.repeat(254)],
  ],
  dns1035Label: [
    ['a', 'a-1'],
    ['', '1a', '-a', 'a-', 'A', 'a.b', 'a'.repeat(64)],
  ],
  wildcardSubdomain: [
    ['*.a', '*.a.b'],
    ['*', '*.', 'a.b', '*.*.a', '*a.b'],
  ],
  fullyQualifiedName: [['a.b.c'], ['', 'a.b', 'a.b.c.']],
  fullyQualifiedDomainName: [
    ['a.b', 'a.b.'],
    ['', 'a', 'a..'],
  ],
  pathSegment: [
    ['a', 'A:b', '...'],
    ['.', '..', 'a/b', 'a%b'],
  ],
  qualifiedName: [
    ['a', 'A.b_c-1', 'a.b/C'],
    ['', '/a', 'a/', 'a/b/c', 'A.b/c', '-a', 'a-', 'a b', `${'a'.repeat(254)}/b`, 'a'.repeat(64)],
  ],
  labelKey: [['a/b'], ['a/b/c']],
  labelValue: [
    ['', 'a', 'A.b_c-1'],
    ['-', 'a-', 'a/b', 'é', 'a'.repeat(64)],
  ],
  portName: [
    ['http', 'a1-b'],
    ['', '1', 'a--b', '-a', 'a-', 'A', 'abcdefghijklmnop'],
  ],
  configMapKey: [
    ['a', 'A.b_c-d', '.a', '...a'.slice(2)],
    ['', '.', '..', '..a', 'a/b', 'a b', 'a'.repeat(254)],
  ],
  envVarName: [
    ['A', '1', 'a b', 'a.b-c'],
    ['', 'a=b', 'é', 'a\n'],
  ],
  httpPath: [
    ['/a/b%20', "a!$&'()*+,;=:@".slice(0, -1)],
    ['', 'a b', 'a?b', 'a#'],
  ],
  httpHeaderName: [['X-A'], ['', 'a b', 'a:']],
  percent: [
    ['0%', '100%'],
    ['%', '1', '-1%', '1.5%'],
  ],
  identifier: [
    ['_a1', 'A'],
    ['', '1a', 'a-b'],
  ],
  conditionReason: [
    ['A', 'a_b,c:d_'],
    ['', '1', 'A,', 'a b'],
  ],
  ip: [
    ['1.2.3.4', '::', '1::8', '::1.2.3.4', 'FE80::0abc'],
    ['', '1.2.3', '1.2.3.256', '01.2.3.4', '1:2', ':::', '1::2::3', '::ffff:1.2.3.4', '1:2:3:4:5:6:7:8:9', '1.2.3.4::', 'fe80::1%eth0'],
  ],
  strictIP: [
    ['1.2.3.4', 'fe80::abc', '::'],
    ['FE80::1', '1:0:0:0:0:0:0:8', '0:0:0:0:0:0:0:0'],
  ],
  cidr: [
    ['10.0.0.0/8', '::/0', '1.2.3.4/32', '2001:DB8::/32'],
    ['', '10.0.0.0', '10.0.0.1/8', '10.0.0.0/33', '10.0.0.0/08', '::1/64', '::ffff:1.0.0.0/104', '10.0.0.0/-1'],
  ],
  strictCIDR: [
    ['10.0.0.0/8', '2001:db8::/32'],
    ['2001:DB8::/32', '2001:db8:0::/32'],
  ],
  interfaceAddress: [
    ['10.0.0.1/8', 'fe80::1/64'],
    ['10.0.0.1', 'FE80::1/64', '010.0.0.1/8'],
  ],
  absolutePath: [
    ['/', '/a'],
    ['', 'a'],
  ],
  localPath: [
    ['a/b', 'a..b'],
    ['/a', '..', 'a/../b'],
  ],
  noParentReference: [['/a/b'], ['/a/..']],
  domainPrefixedPath: [['acme.io/foo/bar'], ['', 'acme.io', '/foo', 'acme.io/', 'A/b', 'acme.io/a b']],
  domainPrefixedKey: [['acme.io/foo'], ['', 'foo', 'a/b/c', 'acme.io/']],
  url: [['https://a/b'], ['', 'a', '/a']],
  uuid: [['0f9d5a3e-5f59-4f2a-9d2c-0d8f6f0c1b2a'], ['', '0F9D5A3E-5F59-4F2A-9D2C-0D8F6F0C1B2A', '0f9d5a3e']],
  cronSchedule: [
    ['* * * * *', '*/5 0-3,5 1 JAN-feb sun', '@daily', '@every 1h30m', '0 0 ? * MON', 'TZ=UTC 0 0 * * *', '5/15 * * * *'],
    [
      '',
      '* * * *',
      '* * * * * *',
      '60 * * * *',
      '* 24 * * *',
      '* * 0 * *',
      '* * * 13 *',
      '* * * * 7',
      '*/0 * * * *',
      '5-1 * * * *',
      'a * * * *',
      '@never',
      '@every x',
      '1-2-3 * * * *',
      '1/2/3 * * * *',
      '-1 * * * *',
      'TZ=Nowhere/At_All * * * * *',
    ],
  ],
  timeZone: [
    ['UTC', 'Europe/Berlin', 'Etc/GMT+1'],
    ['', 'Nowhere/At_All', '+01:00', '../etc/passwd'],
  ],
}

describe('formats', () => {
  for (const [name, [good, bad]] of Object.entries(cases)) {
    it(name, () => {
      const format = formats[name as FormatName]
      for (const value of good) assert.deepEqual(format(value), [], value)
      for (const value of bad) assert.notDeepEqual(format(value), [], value)
    })
  }

  it('messages match kube-apiserver', () => {
    assert.deepEqual(formats.dns1123Label('a.b'), ['must not contain dots'])
    assert.deepEqual(formats.dns1123Label(`${'a'.repeat(64)}`), ['must be no more than 63 characters'])
    assert.deepEqual(formats.dns1123Subdomain('A'), [
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ])
    assert.deepEqual(formats.qualifiedName('/'), [
      'prefix part must be non-empty',
      'name part must be non-empty',
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ])
    assert.deepEqual(formats.labelValue('x'.repeat(64)), ['must be no more than 63 bytes'])
    assert.deepEqual(formats.portName('-1--'), [
      'must contain at least one letter (a-z)',
      'must not contain consecutive hyphens',
      'must not begin or end with a hyphen',
    ])
    assert.deepEqual(formats.cronSchedule('* * *'), ['expected exactly 5 fields, found 3: [* * *]'])
    assert.deepEqual(formats.cronSchedule('61 * * * *'), ['end of range (61) above maximum (59): 61'])
    assert.deepEqual(formats.strictIP('FE80::1'), ['must be in canonical form ("fe80::1")'])
    assert.deepEqual(portNumber(0), ['must be between 1 and 65535, inclusive'])
    assert.deepEqual(inRange(5, 1, 5), [])
    assert.deepEqual(['web-', '-', 'web'].map(maskTrailingDash), ['wea', '-', 'web'])
  })

  it('take linear time', async () => {
    const long = [
      'a'.repeat(100_000),
      'a-'.repeat(50_000),
      'a.'.repeat(50_000),
      '1,'.repeat(50_000),
      ':'.repeat(100_000),
      '/'.repeat(100_000),
    ]
    await assertCheap('formats of long texts', 3_000, () => {
      for (const format of Object.values(formats)) for (const value of long) format(value)
    })
  })
})

describe('addresses', () => {
  it('are printed as in RFC 5952', () => {
    const cases = [
      ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
      ['0:0:0:0:0:0:0:1', '::1'],
      ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
      ['::ffff:1.2.3.4', '1.2.3.4'],
      ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ] as const
    for (const [given, written] of cases) {
      const address = parseAddress(given)
      assert.ok(address)
      assert.equal(formatAddress(address), written)
    }
  })

  it('survive parsing and printing', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const address = parseAddress(text)
        assert.ok(address, text)
        const again = parseAddress(formatAddress(address))
        assert.deepEqual(again?.bytes.slice(-4), address.bytes.slice(-4))
        if (!address.mapped) assert.deepEqual(again?.bytes, address.bytes)
      }),
    )
  })

  it('belong to networks', () => {
    const network = parseNetwork('10.96.0.0/12')
    const address = (text: string) => parseAddress(text) ?? assert.fail(text)
    assert.ok(network)
    assert.deepEqual(
      ['10.96.0.1', '10.111.255.255', '10.112.0.0', '::1'].map((each) => contains(network, address(each))),
      [true, true, false, false],
    )
  })
})

describe('formats of custom resources', () => {
  it('accept and refuse the same values as kube-apiserver', () => {
    const known: readonly (readonly [string, readonly string[], readonly string[]])[] = [
      ['date', ['2024-02-29'], ['2023-02-29', '2024-2-1']],
      ['date-time', ['2024-01-01T00:00:00Z', '2024-01-01t00:00:00.123+01:00'], ['2024-01-01', 'x']],
      ['duration', ['1h', '2 days', '1h30m'], ['', 'h', '1 fortnight']],
      ['email', ['a@b.c', 'A <a@b>'], ['', 'a', 'a@', 'a b@c']],
      ['hostname', ['a', 'a.example.com'], ['', '-a', 'a..b', 'a.b1.1']],
      ['ipv4', ['1.2.3.4'], ['::1', '1.2.3']],
      ['ipv6', ['::1'], ['1.2.3.4', 'x']],
      ['cidr', ['10.0.0.1/8'], ['10.0.0.1']],
      ['mac', ['01:23:45:67:89:ab', '0123.4567.89ab'], ['01:23', '01:23-45:67:89:ab']],
      ['uri', ['/a', 'https://a/b?c'], ['a b', 'a']],
      ['uuid', ['0F9D5A3E-5F59-4F2A-9D2C-0D8F6F0C1B2A', '0f9d5a3e5f594f2a9d2c0d8f6f0c1b2a'], ['x']],
      ['uuid4', ['0f9d5a3e-5f59-4f2a-9d2c-0d8f6f0c1b2a'], ['0f9d5a3e-5f59-3f2a-9d2c-0d8f6f0c1b2a']],
      ['byte', ['AAA='], ['AAA', '*']],
      ['isbn', ['0-306-40615-2', '978-0-306-40615-7'], ['0-306-40615-3']],
      ['creditcard', ['4111 1111 1111 1111'], ['4111 1111 1111 1112']],
      ['hexcolor', ['#fff', 'aabbcc'], ['#ffff']],
      ['rgbcolor', ['rgb(0, 255,1)'], ['rgb(256,0,0)']],
      ['ssn', ['123-45-6789'], ['1234']],
      ['password', ['anything'], []],
      ['x-short-name', ['a-b'], ['a.b']],
      ['x-long-name', ['a.b'], ['A']],
    ]
    for (const [name, good, bad] of known) {
      const test = openapiFormat(name)
      assert.ok(test, name)
      for (const value of good) assert.equal(test(value), true, `${name} ${value}`)
      for (const value of bad) assert.equal(test(value), false, `${name} ${value}`)
    }
    assert.equal(openapiFormat('int32'), undefined)
  })
})

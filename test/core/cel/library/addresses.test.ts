import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCelEnvironment } from '../../../../core/cel/environment.ts'

const environment = createCelEnvironment({ variables: {} })
function errorOf(expression: string): string {
  const compiled = environment.compile(expression)
  assert.ok('program' in compiled, expression)
  return compiled.program.evaluate({}).error ?? 'none'
}

/** Invalid addresses, with the errors of Go's net/netip. */
const addresses: readonly (readonly [text: string, why: string])[] = [
  ['', 'unable to parse IP'],
  ['host', 'unable to parse IP'],
  ['1.2.3', 'IPv4 address too short'],
  ['1.2.3.4.5', 'IPv4 address too long'],
  ['1.2.3.256', 'IPv4 field has value >255'],
  ['1.2.3.04', 'IPv4 field has octet with leading zero'],
  ['1..2.3', 'IPv4 field must have at least one digit (at ".2.3")'],
  ['1.2.3.', 'IPv4 field must have at least one digit (at ".")'],
  ['1.2.x.3', 'unexpected character (at "x.3")'],
  ['2001:db8:::68', 'each colon-separated field must have at least one digit (at ":68")'],
  ['1::2::3', 'multiple :: in address (at ":3")'],
  ['1:2:3', 'address string too short'],
  ['1:2:3:4:5:6:7:8:9', 'trailing garbage after address (at "9")'],
  ['12345::', 'each group must have 4 or fewer digits (at "12345::")'],
  ['1:2:', 'colon must be followed by more characters (at ":")'],
  ['1:2g::', 'unexpected character, want colon (at "g::")'],
  ['1:2:3:4::5:6:7:8', 'the :: must expand to at least one field of zeros'],
  ['1:1.2.3.4', 'embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4")'],
  ['::1.2.3', 'IPv4 address too short'],
]
const networks: readonly (readonly [text: string, why: string])[] = [
  ['1.2.3.4', "no '/'"],
  ['1.2.3.4/', 'bad bits after slash: ""'],
  ['1.2.3.4/x', 'bad bits after slash: "x"'],
  ['1.2.3.4/08', 'bad bits after slash: "08"'],
  ['1.2.3.4/-1', 'bad bits after slash: "-1"'],
  ['1.2.3.4/33', 'prefix length out of range'],
  ['::/129', 'prefix length out of range'],
  ['1.2.3/8', 'ParseAddr("1.2.3"): IPv4 address too short'],
]

test('errors of invalid addresses and networks match kube-apiserver', () => {
  for (const [text, why] of addresses) {
    const expected = `IP Address ${JSON.stringify(text)} parse error during conversion from string: ParseAddr(${JSON.stringify(text)}): ${why}`
    assert.equal(errorOf(`ip('${text}')`), expected)
    assert.equal(errorOf(`isIP('${text}')`), 'none')
  }
  const conversion = 'network address parse error during conversion from string: '
  for (const [text, why] of networks)
    assert.equal(errorOf(`cidr('${text}')`), `${conversion}${conversion}netip.ParsePrefix(${JSON.stringify(text)}): ${why}`)
})

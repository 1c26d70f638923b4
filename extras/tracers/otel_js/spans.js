// SPDX-License-Identifier: MIT
// OpenTelemetry JS: spans and a child in each, as its own exporter has them.
// usage: node spans.js FOLDER nested|step EVENTS     step: the wall clock goes back by 1.5 s within a span
const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = require('@opentelemetry/sdk-trace-base');
const { trace, ROOT_CONTEXT } = require('@opentelemetry/api');
const { performance } = require('perf_hooks');
const fs = require('fs');

const [folder, workload, events] = process.argv.slice(2);
const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const tracer = provider.getTracer('stampede');
// The unit of the files is a ns since 1970, by the clock that spans are said to be of.
const origin = BigInt(Math.round(performance.timeOrigin * 1e6));
const now = () => (workload === 'step') ? BigInt(Date.now()) * 1000000n : origin + BigInt(Math.round(performance.now() * 1e6));
const wait = (ms) => { const until = performance.now() + ms; while (performance.now() < until); };

const truth = [];
const count = Math.min(Number(events), 20000) / 2;
for (let i = 0; i < count; i++) {
  const t = [now()];
  const parent = tracer.startSpan('parent', { attributes: { seq: 2 * i } });
  t.push(now());
  if (workload === 'step' && i === count / 2) fs.writeFileSync(`${folder}/clock`, '-1.5');
  wait(0.02);
  t.push(now());
  const child = tracer.startSpan('child', { attributes: { seq: 2 * i + 1 } }, trace.setSpan(ROOT_CONTEXT, parent));
  t.push(now());
  wait(0.05);
  t.push(now());
  child.end();
  t.push(now());
  parent.end();
  t.push(now());
  truth.push(`span 0 ${2 * i} - ${t[0]} ${t[1]} ${t[5]} ${t[6]}`,
             `span 0 ${2 * i + 1} ${2 * i} ${t[2]} ${t[3]} ${t[4]} ${t[5]}`);
}
const ns = ([seconds, rest]) => BigInt(seconds) * 1000000000n + BigInt(rest);
fs.writeFileSync(`${folder}/truth`, truth.join('\n') + '\n');
fs.writeFileSync(`${folder}/decoded`, exporter.getFinishedSpans().map((span) =>
  `span 0 ${span.attributes.seq} ${ns(span.startTime)} ${ns(span.endTime)}`).join('\n') + '\n');

// The shop's pages. What is put into them is escaped, unless it is HTML already.
class Html {
  constructor(text) {
    this.text = text
  }
}

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }

const written = (value) => {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(written).join("")
  return String(value ?? "").replace(/[&<>"']/g, (character) => escapes[character])
}

const html = (parts, ...values) => new Html(parts.reduce((text, part, at) => text + written(values[at - 1]) + part))

const page = (title, body) =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/shop.css">
</head>
<body><main><h1>${title}</h1>${body}</main></body>
</html>`.text

const amount = (decimal) => String(decimal).replace(/(\.\d\d)0+$/, "$1")

export const signUp = () =>
  page(
    "eSIM shop",
    html`<form method="post" action="/customers">
<label>Your email address <input type="email" name="email" required autocomplete="email"></label>
<button>Open a wallet</button>
</form>`
  )

export const home = ({ customer, newId, orders, plans }) =>
  page(
    "eSIM shop",
    html`<p>Your wallet has <strong>${amount(customer.balance)}</strong>, of which ${amount(customer.reserved)} are set aside.</p>
<h2>Plans</h2>
<ul>${plans.map(
      ({ currency, name, planId, price }) => html`<li>
<form method="post" action="/orders">
<input type="hidden" name="id" value="${newId()}"><input type="hidden" name="plan" value="${planId}">
${name} <button>Buy for ${price} ${currency}</button>
</form></li>`
    )}</ul>
<h2>Orders</h2>
<ul>${orders.map(({ id, planName, state }) => html`<li><a href="/orders/${id}">${planName}</a>, ${state}</li>`)}</ul>`
  )

export const notEnough = () =>
  page("The wallet has too little", html`<p>Nothing was ordered. <a href="/">Back to the shop</a></p>`)

export const notFound = () => page("There is no such page", html`<p><a href="/">Back to the shop</a></p>`)

/** The script asks again until the order has an outcome; without scripts the customer does. */
export const reserved = ({ planName }) =>
  page(
    planName,
    html`<p role="status">Your eSIM is being prepared. This page shows it as soon as it is there.</p>
<p><a href="">Ask again</a></p>
<script src="/waiting.js" async></script>`
  )

export const refunded = ({ planName, price }) =>
  page(
    planName,
    html`<p role="status">We could not get this eSIM. ${amount(price)} are back in your wallet.</p>
<p><a href="/">Back to the shop</a></p>`
  )

const MEGABYTE = 1_048_576

const usage = ({ expirationAt, state, terms, usedBytes }) => {
  const used = Math.floor(usedBytes / MEGABYTE)
  const end = expirationAt?.toISOString().slice(0, 10)
  return html`<h2>Usage</h2>
<label>${used} of ${terms.dataMegaBytes} MB used
<progress max="${terms.dataMegaBytes}" value="${used}"></progress></label>
<p>${state === "ACTIVE" ? `Your plan ends on ${end}.` : state === "EXPIRED" ? "Your plan is over." : "Your plan begins with its first use."}</p>`
}

/** The code installs the eSIM on whatever device has it first, so the page is its customer's alone. */
export const active = ({ attachment, installation, order }) =>
  page(
    order.planName,
    html`<h2>Install</h2>
<p>Scan this with the phone that is to have the eSIM, in its settings for mobile data:</p>
<div class="code">${new Html(installation.qrCode)}</div>
<p>Or open this page on the phone itself:
<a href="${installation.appleLink}">Install on iPhone</a> <a href="${installation.androidLink}">Install on Android</a></p>
<p>Or type it in: <code>${installation.lpa}</code></p>
${usage(attachment)}`
  )

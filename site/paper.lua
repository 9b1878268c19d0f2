-- Prepares a report's Markdown (writers/markdown/paper.h) for LaTeX, as a filter of pandoc.
--
-- Only the formulas that the metadata name stay formulas. What LaTeX cannot set becomes words: pictures of other kinds,
-- struck out text, links within the report, deep lists. Long words may break, and wide tables fit the line.

local BREAK = "\u{200b}" -- A space of no width.
local SPANNED = "\u{fdd0}" -- Fills the cells that join the cell before them.
local MOST_TITLE_BYTES = 400 -- TeX writes titles to files whose lines must fit its buffer.
local MOST_LINK_BYTES = 2000 -- TeX's time grows with the square of a link's length.
local MOST_PIXELS = 640 -- A picture of this width fills the line, also in document/rich_text.cpp.
local MOST_NESTING = 3 -- LaTeX nests at most four lists of one kind and six in all.

local stringify = pandoc.utils.stringify
local known_formulas = {}

local function is_mark(letter) return ("_/:,.<>(){}[]=&?"):find(letter, 1, true) ~= nil end

--- Lets a word of more than 20 bytes break behind its marks, "at::native::|add_", and every 28 letters.
local function break_word(word)
  if #word <= 20 then return nil end
  local pieces, letters, last, before = {}, 0, "x", "x"
  for letter in word:gmatch(utf8.charpattern) do
    local in_number = letter:find("%d") and before:find("%d")
    if letters >= 28 or (letters > 3 and is_mark(last) and not is_mark(letter) and not in_number) then
      pieces[#pieces + 1] = BREAK
      letters = 0
    end
    pieces[#pieces + 1] = letter
    letters, before, last = letters + 1, last, letter
  end
  return table.concat(pieces)
end

local function with_breaks(element)
  element.text = element.text:gsub("[^ ]+", break_word)
  return element
end

local function lines_of_code(block)
  local lines = {}
  for line in (block.text .. "\n"):gmatch("(.-)\n") do lines[#lines + 1] = { pandoc.Code(line) } end
  return pandoc.LineBlock(lines)
end

local function picture(image)
  local ending = image.src:match("^[%w%-._/]+%.(%l+)$")
  if ending == "png" or ending == "jpg" or ending == "jpeg" or ending == "pdf" then
    local number, percent = image.title:match("^width=(%d+)(%%?)$")
    local share = number and math.floor(percent == "%" and number or number * 100 / MOST_PIXELS)
    return pandoc.Image({}, image.src, "", { width = share and math.max(1, math.min(share, 100)) .. "%" or "80%" })
  end
  return pandoc.Inlines("[Picture: " .. stringify(image.caption) .. " (" .. image.src ..
    ", a kind that LaTeX cannot place: save it as PNG or JPEG)]")
end

--- A paragraph that is one chart becomes a figure, whose caption is the picture's description.
local function figure(paragraph)
  local image = #paragraph.content == 1 and paragraph.content[1]
  local chart = image and image.t == "Image" and image.src:match("^charts/([%w%-]+)%.pdf$")
  if not chart then return nil end
  return pandoc.Figure({ pandoc.Plain { pandoc.Image({}, image.src, "", { width = "100%" }) } },
    { long = { pandoc.Plain(image.caption) } }, { id = "fig-" .. chart })
end

local function title(inlines)
  local text = stringify(inlines)
  if #text <= MOST_TITLE_BYTES then return inlines end
  return pandoc.Inlines(text:sub(1, utf8.offset(text, 0, MOST_TITLE_BYTES) - 1) .. "…")
end

local function read_metadata(meta)
  for _, formula in ipairs(meta.formulas) do
    formula:walk { Math = function(math) known_formulas[math.mathtype .. math.text] = true end }
  end
  meta.formulas = nil
  if meta.title then meta.title = title(meta.title) end
  return meta
end

-- Formulas with a line of their own stand only in paragraphs.
local inline_formulas = { Math = function(math) return pandoc.Math("InlineMath", math.text) end }
local function without_displays(element) return element:walk(inline_formulas) end

-- Lengths are in letters. The template sets a table with fixed column widths in a smaller type.
local LINE, GAP, SMALL_LINE, SMALL_GAP = 88, 2, 110, 1.2
local MOST_WORD = 22 -- A longer word may break.

--- Returns the lengths of a cell's text and of its longest word.
local function measure(cell)
  local text = stringify(cell.contents):gsub(BREAK, "")
  if not text:find("±") then text = text:gsub("\u{2007}", ""):gsub("\u{2008}", "") end
  local longest = 0
  for word in text:gmatch("[^ ]+") do longest = math.max(longest, math.min(utf8.len(word) or #word, MOST_WORD)) end
  return utf8.len(text) or #text, longest
end

--- Lets a cell extend across the cells behind it that hold SPANNED. Remarks that take a whole row belong to the row
--- above, so they are indented.
local function join_spanned(row)
  local cells = {}
  for _, cell in ipairs(row.cells) do
    if #cells > 0 and stringify(cell.contents) == SPANNED then
      cells[#cells].col_span = cells[#cells].col_span + 1
      cells[#cells].alignment = pandoc.AlignLeft
    else
      cells[#cells + 1] = cell
    end
  end
  if cells[1].col_span > 1 then cells[1].contents[1].content:insert(1, pandoc.RawInline("latex", "\\quad ")) end
  row.cells = cells
end

local function sum(lengths)
  local total = 0
  for _, length in ipairs(lengths) do total = total + length end
  return total
end

--- Gives columns fixed widths if the table is wider than a line. Headings and words wrap first, and numbers wrap at
--- their ± only if that does not suffice.
local function fit_columns(tbl, rows)
  local whole, wrapped, narrowest, fits = {}, {}, {}, true
  for c = 1, #tbl.colspecs do whole[c], wrapped[c], narrowest[c] = 0, 0, 0 end
  for r, row in ipairs(rows) do
    local row_length, c = 0, 1
    for _, cell in ipairs(row.cells) do
      local length, word = measure(cell)
      row_length = row_length + length + GAP
      if cell.col_span == 1 then
        local is_words = tbl.colspecs[c][1] ~= "AlignRight"
        -- Letters are wider than digits. They matter less in the last column, which nothing follows.
        if is_words and r > 1 and length > 0 and c < #tbl.colspecs then word = word + 2 end
        whole[c] = math.max(whole[c], length)
        wrapped[c] = math.max(wrapped[c], (r == 1 or is_words) and word or length)
        narrowest[c] = math.max(narrowest[c], word)
      end
      c = c + cell.col_span
    end
    fits = fits and row_length <= LINE
  end
  if fits and sum(whole) + GAP * #whole <= LINE then return end
  local line = math.max(math.floor(SMALL_LINE - SMALL_GAP * #whole), MOST_WORD)
  local widths = sum(wrapped) > line and narrowest or wrapped
  repeat
    local has_widened = false
    for c = 1, #widths do
      if widths[c] < whole[c] and sum(widths) < line then
        widths[c] = widths[c] + 1
        has_widened = true
      end
    end
  until not has_widened
  for c, width in ipairs(widths) do tbl.colspecs[c] = { tbl.colspecs[c][1], width / math.max(line, sum(widths)) } end
end

local function fitted_table(tbl)
  local rows = { table.unpack(tbl.head.rows) }
  for _, body in ipairs(tbl.bodies) do
    for _, row in ipairs(body.body) do
      join_spanned(row)
      rows[#rows + 1] = row
    end
  end
  fit_columns(tbl, rows)
  return without_displays(tbl)
end

--- Takes a bold line before a table as the table's title.
local function with_captions(blocks)
  local found = pandoc.Blocks {}
  for _, block in ipairs(blocks) do
    local before = block.t == "Table" and found[#found]
    local line = before and before.t == "Para" and #before.content == 1 and before.content[1]
    if line and line.t == "Strong" then
      block.caption = { long = { pandoc.Plain(title(line.content)) } }
      found:remove()
    end
    found:insert(block)
  end
  return found
end

--- The content of a deeper list or quotation joins the one around it.
local function limit_nesting(blocks, depth)
  local found = pandoc.Blocks {}
  for _, block in ipairs(blocks) do
    local is_quote = block.t == "BlockQuote"
    local is_nest = is_quote or block.t == "BulletList" or block.t == "OrderedList"
    if is_nest then
      local items = pandoc.List(is_quote and { block.content } or block.content):map(function(item)
        return limit_nesting(item, depth + 1)
      end)
      block.content = is_quote and items[1] or items
      if depth >= MOST_NESTING then
        for _, item in ipairs(items) do found:extend(item) end
      end
    end
    if not is_nest or depth < MOST_NESTING then found:insert(block) end
  end
  return found
end

return {
  { Meta = read_metadata },
  {
    Math = function(math)
      if not known_formulas[math.mathtype .. math.text] then return pandoc.Code(math.text) end
      math.text = math.text:gsub("\u{a0}", " ") -- Spaces before units became unbreakable in the whole text.
      return math
    end,
    CodeBlock = lines_of_code,
    Para = figure,
  },
  {
    Image = function(image) if image.attributes.width ~= "100%" then return picture(image) end end,
  },
  {
    Str = with_breaks,
    Code = with_breaks,
    Strikeout = function(struck) return pandoc.Inlines("[") .. struck.content .. pandoc.Inlines(" (struck out)]") end,
    Link = function(link)
      if link.target:sub(1, 1) == "#" or #link.target > MOST_LINK_BYTES then return link.content end
      return without_displays(link)
    end,
    Strong = without_displays,
    Emph = without_displays,
    Header = function(header)
      header.content = title(header.content)
      return without_displays(header)
    end,
    Table = fitted_table,
    Blocks = with_captions,
    Pandoc = function(document)
      document.blocks = limit_nesting(document.blocks, 0)
      return document
    end,
  },
}
